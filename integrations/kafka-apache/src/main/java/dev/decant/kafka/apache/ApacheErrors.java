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

/** Translates Decant's exceptions to those that Apache's clients throw. Stateless. */
final class ApacheErrors {
  private ApacheErrors() {}

  /**
   * Returns the exception that Apache's clients throw in the same place.
   *
   * @param failure thrown by Decant, or passed to a listener
   * @return an exception of Apache's class for the error code, with the failure as its cause; the failure itself if
   *     both clients throw it
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

  /**
   * Returns Apache's exception for an interrupt. As with Apache's clients, the thread is marked as interrupted again.
   */
  static InterruptException interrupted(InterruptedException cause) {
    return new InterruptException(cause); // its constructor interrupts the thread
  }

  private static RuntimeException authentication(AuthenticationException refused) {
    return refused.code() == ErrorCode.SASL_AUTHENTICATION_FAILED
        ? new SaslAuthenticationException(refused.getMessage(), refused)
        : ofCode(refused);
  }

  private static RuntimeException ofCode(KafkaException known) {
    ErrorCode code = known.code();
    if (code == ErrorCode.NONE || !code.isOfBrokers()) { // a refusal of the client itself has no error code of Apache's
      return new org.apache.kafka.common.KafkaException(known.getMessage(), known);
    }
    ApiException same = Errors.forCode(code.code()).exception(known.getMessage());
    same.initCause(known);
    return same;
  }

  /** Returns the cause of a timeout: the last network error, if any. Apache's message names the operation. */
  private static Throwable cause(KafkaTimeoutException late) {
    Throwable before = late.getCause();
    return before instanceof KafkaException known && known.code() != ErrorCode.NONE ? ofCode(known) : late;
  }
}
