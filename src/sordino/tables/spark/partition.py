"""Which partition a task works on."""


def partition() -> int:
    """Its number; 0 outside of Spark."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0
