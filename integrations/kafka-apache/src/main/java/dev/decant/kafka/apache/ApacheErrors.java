package dev.decant.kafka.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.SslAuthenticationException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;

/** Decant's exceptions as those that Apache's clients throw. Stateless. */
final class ApacheErrors {
  private ApacheErrors() {}

  /**
   * Returns the exception that Apache's clients throw in the same place.
   *
   * @param failure what Decant has thrown, or handed to a listener
   * @return of the class that Apache has for the error code, with the failure as its cause; the failure itself if it is
   *     an exception that both clients throw
   */
  static RuntimeException of(Throwable failure) {
    return switch (failure) {
      case KafkaTimeoutException late -> new TimeoutException(late.getMessage(), cause(late));
      case SslAuthenticationException refused ->
        new org.apache.kafka.common.errors.SslAuthenticationException(refused.getMessage(), refused);
      case AuthenticationException refused -> authentication(refused);
      case KafkaException known -> ofCode(known);
      case InterruptedException interrupted -> interrupted(interrupted);
      case RuntimeException same -> same;
      default -> new org.apache.kafka.common.KafkaException(failure.getMessage(), failure);
    };
  }

  /** As Apache's clients do: the thread is marked as interrupted again. */
  static InterruptException interrupted(InterruptedException cause) {
    return new InterruptException(cause); // marks it
  }

  private static RuntimeException authentication(AuthenticationException refused) {
    return refused.code() == ErrorCode.SASL_AUTHENTICATION_FAILED
        ? new SaslAuthenticationException(refused.getMessage(), refused)
        : ofCode(refused);
  }

  private static RuntimeException ofCode(KafkaException known) {
    ErrorCode code = known.code();
    if (code == ErrorCode.NONE || !code.isOfBrokers()) { // Apache's clients have no code for what they refuse
      return new org.apache.kafka.common.KafkaException(known.getMessage(), known);
    }
    ApiException same = Errors.forCode(code.code()).exception(known.getMessage());
    same.initCause(known);
    return same;
  }

  /** Apache's message says what was late; the last error of the network, if any, is its cause. */
  private static Throwable cause(KafkaTimeoutException late) {
    Throwable before = late.getCause();
    return before instanceof KafkaException known && known.code() != ErrorCode.NONE ? ofCode(known) : late;
  }
}
