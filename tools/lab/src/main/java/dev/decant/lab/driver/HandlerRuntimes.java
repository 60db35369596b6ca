package dev.decant.lab.driver;

/** Opens the runtime of handlers that this JVM is for. */
final class HandlerRuntimes {
  private HandlerRuntimes() {}

  /** Opens a runtime that calls the task for each record. */
  static HandlerRuntime open(WorkSpec spec, RecordTask task) throws InterruptedException {
    if (spec.isDecant()) {
      return new DecantHandlers(spec, task);
    }
    return switch (spec.client()) {
      case WorkSpec.PARALLEL_CONSUMER -> new ParallelConsumerHandlers(spec, task);
      case WorkSpec.SPRING_KAFKA -> new SpringHandlers(spec, task);
      default -> new LoopHandlers(spec, task);
    };
  }
}
