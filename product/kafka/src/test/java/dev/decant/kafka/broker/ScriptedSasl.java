package dev.decant.kafka.broker;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.message.SaslAuthenticateRequest;
import dev.decant.kafka.protocol.message.SaslAuthenticateResponse;
import dev.decant.kafka.protocol.message.SaslHandshakeRequest;
import dev.decant.kafka.protocol.message.SaslHandshakeResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/**
 * The broker's end of SASL in a scripted broker. A test decides by each client's messages whether it is accepted. The
 * exchange begins with {@code word} where a client sends nothing first, and ends with {@code farewell}.
 */
public final class ScriptedSasl {
  private final Predicate<String> isTaken;
  /** The messages of clients, with a bar for each byte 0 or 1. */
  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final List<String> mechanisms = new CopyOnWriteArrayList<>();
  /** Connections that were refused in the way of OAUTHBEARER, and send one more message. */
  private final Map<Integer, Boolean> refused = new ConcurrentHashMap<>();
  private volatile String farewell = "";
  private volatile long sessionMillis;

  /** Starts to accept and refuse clients. */
  public ScriptedSasl(ScriptedBroker broker, Predicate<String> isTaken) {
    this.isTaken = isTaken;
    broker.always(ApiKey.SASL_HANDSHAKE, exchange -> {
      mechanisms.add(((SaslHandshakeRequest) exchange.request().body()).mechanism());
      exchange.answer(new SaslHandshakeResponse().mechanisms(List.of("ALL"))::write);
    });
    broker.always(ApiKey.SASL_AUTHENTICATE, this::authenticate);
  }

  /** Sets the broker's last message. */
  public ScriptedSasl farewell(String text) {
    farewell = text;
    return this;
  }

  /** Sets the lifetime of sessions that begin from now on. */
  public void sessionMillis(long millis) {
    sessionMillis = millis;
  }

  /** Returns the messages of clients, a line each. */
  public List<String> messages() {
    return List.copyOf(messages);
  }

  /** Returns the mechanisms that clients have named. */
  public List<String> mechanisms() {
    return List.copyOf(mechanisms);
  }

  private void authenticate(Exchange exchange) throws IOException {
    ByteBuffer sent = ((SaslAuthenticateRequest) exchange.request().body()).authBytes();
    byte[] bytes = new byte[sent.remaining()];
    sent.get(bytes);
    String message = new String(bytes, StandardCharsets.UTF_8).replace('\0', '|').replace('\u0001', '|');
    int connection = exchange.request().connection();
    if (refused.remove(connection) != null) {
      exchange.answer(refusal());
      return;
    }
    messages.add(message);
    if (message.isEmpty()) {
      answer(exchange, "word", 0);
    } else if (isTaken.test(message)) {
      answer(exchange, farewell, sessionMillis);
    } else if (message.startsWith("n,,")) {
      refused.put(connection, true);
      answer(exchange, "{\"status\":\"invalid_token\"}", 0);
    } else {
      exchange.answer(refusal());
    }
  }

  private static Body refusal() {
    return new SaslAuthenticateResponse().errorCode(ErrorCode.SASL_AUTHENTICATION_FAILED.code())
        .errorMessage("nobody is known by that")::write;
  }

  private static void answer(Exchange exchange, String text, long lifetime) throws IOException {
    exchange.answer(new SaslAuthenticateResponse().authBytes(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)))
        .sessionLifetimeMs(lifetime)::write);
  }
}
