package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.SaslExchange;
import dev.decant.kafka.security.SaslMechanism;
import dev.decant.kafka.security.SaslPeer;
import dev.decant.loop.EventLoop;
import dev.decant.net.Printable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates the client to a broker: SaslHandshake names the mechanism, SaslAuthenticate carries its messages
 * (KIP-43, KIP-152). The mechanism runs on a thread of its own because it may block: it may call a token endpoint, or
 * hash a password ten thousand times.
 *
 * <p>Owner of the loop only, except {@link Step}.
 */
final class SaslAuthentication {
  private static final System.Logger LOG = System.getLogger(SaslAuthentication.class.getName());
  private static final short HANDSHAKE_VERSION = 1;
  private static final int LAST_AUTHENTICATE_VERSION = 2;
  private static final int MOST_ROUNDS = 16;
  private static final int MOST_CHALLENGE_BYTES = 512 * 1024;

  /** One step of the mechanism, on its own thread. */
  private interface Step {
    byte[] message() throws IOException, InterruptedException;
  }

  private final BrokerConnection connection;
  private final EventLoop loop;
  private final SaslMechanism mechanism;
  private final SaslPeer broker;

  /**
   * The exchange of the mechanism. The worker writes it before the task that hands over its message; the owner of the
   * loop writes it while there is no worker.
   */
  private volatile @Nullable SaslExchange exchange;
  private @Nullable Thread worker;
  private boolean stopped;
  private int rounds;
  /** The session time that the broker reported last (KIP-368); 0 for no limit. */
  private long sessionMillis;

  SaslAuthentication(BrokerConnection connection, EventLoop loop, SaslMechanism mechanism, SaslPeer broker) {
    this.connection = connection;
    this.loop = loop;
    this.mechanism = mechanism;
    this.broker = broker;
  }

  void start() {
    SaslHandshakeRequest request = new SaslHandshakeRequest().mechanism(mechanism.name());
    connection.request(ApiKey.SASL_HANDSHAKE, HANDSHAKE_VERSION, request::write, this::onHandshake);
  }

  /** Ends the authentication: the connection has ended. */
  void stop() {
    stopped = true;
    Thread working = worker;
    if (working != null) {
      working.interrupt(); // the task that the worker submits closes the exchange
    } else {
      closeExchange();
    }
  }

  private void onHandshake(ProtocolReader in) {
    SaslHandshakeResponse response = SaslHandshakeResponse.read(in, HANDSHAKE_VERSION);
    if (response.errorCode() == ErrorCode.UNSUPPORTED_SASL_MECHANISM.code()) {
      throw new AuthenticationException(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "broker " + broker
          + " does not have the SASL mechanism " + mechanism.name() + " on this listener; it has "
          + Printable.of(response.mechanisms().toString()), null);
    }
    if (response.errorCode() != 0) {
      ErrorCode code = ErrorCode.of(response.errorCode());
      throw new AuthenticationException(code, "broker " + broker + " refused SaslHandshake: " + code
          + (code == ErrorCode.ILLEGAL_SASL_STATE ? "; the listener takes no SASL, check security.protocol" : ""),
          null);
    }
    work(() -> {
      SaslExchange begun = mechanism.begin(broker);
      exchange = begun;
      return begun.initialResponse();
    });
  }

  private void onAuthenticate(ProtocolReader in, short version) {
    SaslAuthenticateResponse response = SaslAuthenticateResponse.read(in, version);
    if (response.errorCode() != 0) {
      ErrorCode code = ErrorCode.of(response.errorCode());
      String text = response.errorMessage();
      throw new AuthenticationException(code, "broker " + broker + " refused " + mechanism.name() + ": " + code
          + (text == null || text.isEmpty() ? "" : " (" + Printable.of(text) + ")"), null);
    }
    byte[] challenge = new byte[response.authBytes().remaining()];
    response.authBytes().get(challenge);
    if (challenge.length > MOST_CHALLENGE_BYTES || ++rounds > MOST_ROUNDS) {
      throw new AuthenticationException(mechanism.name() + ": broker " + broker + " sent a message of "
          + challenge.length + " bytes in round " + rounds + "; " + MOST_CHALLENGE_BYTES + " bytes and " + MOST_ROUNDS
          + " rounds are the most");
    }
    SaslExchange begun = exchange;
    if (begun == null) {
      throw new IllegalStateException("a response before the exchange has begun");
    }
    sessionMillis = Math.max(0, response.sessionLifetimeMs());
    work(() -> begun.respond(challenge));
  }

  private void work(Step step) {
    Thread.Builder threads = mechanism.needsPlatformThread() ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
    worker = threads.name("decant-sasl-" + broker.host()).start(() -> {
      try {
        take(step.message());
      } catch (Throwable e) {
        closeExchange();
        loop.execute(() -> onWorkFailed(e));
      }
    });
  }

  /**
   * Hands a step's message to the loop. Only the worker calls the exchange, because it may block or throw anything. An
   * exception of {@code isComplete} on the loop once lost the end of the connection, and users waited for their
   * timeouts.
   */
  private void take(byte @Nullable [] message) {
    SaslExchange begun = exchange;
    if (begun == null || message == null) {
      throw new AuthenticationException(mechanism.name() + " gave no message");
    }
    boolean isComplete = begun.isComplete();
    if (isComplete) {
      closeExchange();
    }
    loop.execute(() -> onMessage(message, isComplete));
  }

  private void onMessage(byte[] message, boolean isComplete) {
    worker = null;
    if (stopped) {
      closeExchange();
      return;
    }
    if (isComplete) {
      connection.authenticated(TimeUnit.MILLISECONDS.toNanos(sessionMillis));
      return;
    }
    ApiVersionTable versions = connection.versions();
    short version = versions.choose(ApiKey.SASL_AUTHENTICATE, 0, LAST_AUTHENTICATE_VERSION);
    if (version == ApiVersionTable.NONE) {
      connection.close(
          versions.unsupported(ApiKey.SASL_AUTHENTICATE, 0, LAST_AUTHENTICATE_VERSION, broker.toString(), ""));
      return;
    }
    SaslAuthenticateRequest request = new SaslAuthenticateRequest().authBytes(ByteBuffer.wrap(message));
    connection.request(ApiKey.SASL_AUTHENTICATE, version, request::write, in -> onAuthenticate(in, version));
    Arrays.fill(message, (byte) 0); // its copy is encoded; this one may hold a password
  }

  private void onWorkFailed(Throwable cause) {
    worker = null;
    if (stopped) {
      closeExchange();
      return;
    }
    connection.close(cause instanceof AuthenticationException failure
        ? new AuthenticationException(failure.code(), "broker " + broker + ": " + failure.getMessage(), failure)
        : new KafkaException(ErrorCode.NETWORK_EXCEPTION, "authentication to broker " + broker + " by "
            + mechanism.name() + " failed: " + Printable.of(cause.toString()), Printable.cause(cause)));
  }

  /**
   * Closes the exchange: on the worker, or on the loop while there is no worker. An exception must not stop the end of
   * the connection.
   */
  private void closeExchange() {
    SaslExchange begun = exchange;
    if (begun != null) {
      exchange = null;
      try {
        begun.close();
      } catch (Throwable e) {
        LOG.log(System.Logger.Level.DEBUG, "a SASL exchange cannot be closed", e);
      }
    }
  }
}
