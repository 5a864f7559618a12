// Which fields are shown: of what is not asked because of earlier answers there is nothing to answer.

/** Hide and show fields whenever an answer changes; `fields` have a name, an `answer`, an `element` and `inputs`. */
export function followConditions(fields, attributes) {
  const named = new Map(fields.map((field) => [field.name, field]));
  const update = () => {
    for (const field of fields) field.element.hidden = !isShown(field.name, named, attributes);
  };
  for (const input of fields.flatMap((field) => field.inputs)) input.addEventListener("change", update);
  update();
}

/** Whether the answers to other fields say that one is asked: while they say nothing, it is not. */
function isShown(name, fields, attributes) {
  return Object.entries(attributes[name].only_if ?? {}).every(([other, labels]) => {
    if (!isShown(other, fields, attributes)) return labels.includes(attributes[other].not_asked);
    const { answer } = fields.get(other);
    return labels.includes(answer === null ? attributes[other].missing : answer);
  });
}
