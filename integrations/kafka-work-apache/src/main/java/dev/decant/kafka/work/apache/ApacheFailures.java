package dev.decant.kafka.work.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.protocol.ErrorCode;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;

/** Makes Decant's exceptions of those that Apache's clients throw. Stateless. */
final class ApacheFailures {
  private ApacheFailures() {}

  /** Returns an exception with the same error code and the failure as its cause. */
  static KafkaException of(Throwable failure) {
    return switch (failure) {
      case KafkaException known -> known;
      case TimeoutException late -> new KafkaTimeoutException(message(late), late);
      case RetriableCommitFailedException commit when commit.getCause() != null ->
        new KafkaException(code(commit.getCause()), message(commit), commit);
      default -> new KafkaException(code(failure), message(failure), failure);
    };
  }

  private static ErrorCode code(Throwable failure) {
    Errors known = Errors.forException(failure);
    return known == Errors.UNKNOWN_SERVER_ERROR ? ErrorCode.NONE : ErrorCode.of(known.code());
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getName() : message;
  }

  /** Makes an InterruptedException of Apache's, and clears the interrupt, which Apache's clients leave set. */
  static InterruptedException interrupted(InterruptException cause) {
    boolean unused = Thread.interrupted(); // the exception stands for it
    InterruptedException same = new InterruptedException(cause.getMessage());
    same.initCause(cause);
    return same;
  }
}
