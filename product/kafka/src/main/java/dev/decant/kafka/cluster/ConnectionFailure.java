package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.SslAuthenticationException;
import dev.decant.kafka.telemetry.ConnectionEvents;
import dev.decant.tls.TlsException;
import java.io.EOFException;
import java.io.IOException;

/** Makes errors that say why a connection to a broker has ended, and which wrong setting ends connections like this. */
final class ConnectionFailure {
  /**
   * Hint at a port with TLS. A TLS server takes our first request for a broken handshake: it closes, or sends an alert,
   * which is no frame.
   */
  private static final String TLS_HINT = "; a port that expects TLS answers like this, and so does one that is none of"
      + " a Kafka broker: check that the address is that of a listener for PLAINTEXT or SASL_PLAINTEXT";
  /**
   * Hint at a port without TLS. A broker takes the beginning of a TLS handshake for the length of a request, and
   * closes.
   */
  private static final String NOT_TLS_HINT = "; a port that does not speak TLS answers like this: check that the"
      + " address is that of a listener for SSL or SASL_SSL";

  private ConnectionFailure() {}

  /**
   * Makes the error for all users of the connection.
   *
   * @param cause as the connection reported it
   * @param stage of the connection at its end
   */
  static KafkaException of(String broker, boolean isEncrypted, Throwable cause, String stage) {
    if (cause instanceof KafkaException k) {
      return k;
    }
    if (cause instanceof TlsException tls && SslAuthenticationException.isRefusal(tls)) {
      return new SslAuthenticationException("the connection to broker " + broker + " ended, stage " + stage + ": "
          + tls.getMessage(), tls);
    }
    return new KafkaException(ErrorCode.NETWORK_EXCEPTION, "the connection to broker " + broker + " ended, stage "
        + stage + ": " + cause + hint(isEncrypted, cause, stage), cause);
  }

  private static String hint(boolean isEncrypted, Throwable cause, String stage) {
    if (!isEncrypted) {
      return stage.equals(BrokerConnection.Stage.NEGOTIATING.name()) ? TLS_HINT : "";
    }
    boolean isCut = cause instanceof EOFException || cause instanceof TlsException
        || (cause instanceof IOException
            && String.valueOf(cause.getMessage()).matches("Connection reset.*|Broken pipe"));
    return isCut && stage.equals(BrokerConnection.Stage.CONNECTING.name()) ? NOT_TLS_HINT : "";
  }

  /**
   * Counts the failure if it is a refusal.
   *
   * @param again true if the connection was to replace another one whose session ends
   */
  static void count(ConnectionEvents events, KafkaException failure, boolean again) {
    if (failure instanceof AuthenticationException) {
      events.metering().authenticationFailed(again);
    }
  }
}
