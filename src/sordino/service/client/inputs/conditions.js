// Which fields are shown: of what is not asked because of earlier answers there is nothing to answer.

/** Hide and show fields whenever an answer changes, and whenever what this returns is called; `fields` have a name, an `attribute`, an `answer`, an `element` and `inputs`. */
export function followConditions(fields) {
  const named = new Map(fields.map((field) => [field.name, field]));
  const update = () => {
    for (const field of fields) field.element.hidden = !isShown(field, named);
  };
  for (const input of fields.flatMap((field) => field.inputs)) input.addEventListener("change", update);
  update();
  return update;
}

/** Whether the answers to other fields say that one is asked: while they say nothing, it is not. */
function isShown({ attribute }, fields) {
  return Object.entries(attribute.only_if ?? {}).every(([name, labels]) => {
    const other = fields.get(name);
    if (!isShown(other, fields)) return labels.includes(other.attribute.not_asked);
    return labels.includes(other.answer === null ? other.attribute.missing : other.answer);
  });
}
