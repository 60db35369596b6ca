package dev.decant.kafka.apache;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** The first failure of several steps, of which all are taken. */
final class FirstFailure {
  private @Nullable Throwable first;

  /** A step that may fail. */
  @FunctionalInterface
  interface Step {
    /** Takes the step. */
    void run() throws Exception;
  }

  void attempt(Step step) {
    try {
      step.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      add(e);
    } catch (Throwable e) {
      add(e);
    }
  }

  void add(@Nullable Throwable failure) {
    first = first == null ? failure : first;
  }

  /** Adds the failure to another one as suppressed. */
  void addTo(Throwable cause) {
    Throwable failure = first;
    if (failure != null) {
      cause.addSuppressed(failure);
    }
  }

  /** Throws the failure as Apache's consumer does when it is closed. */
  void throwIfAny() {
    Throwable failure = first;
    if (failure instanceof InterruptException interrupted) {
      throw interrupted;
    }
    if (failure != null) {
      throw new KafkaException("Failed to close kafka consumer", failure);
    }
  }
}
