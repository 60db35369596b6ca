package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** OAUTHBEARER (RFC 7628, KIP-255): one message with a token and Kafka's extensions (KIP-342). */
final class OAuthMechanism implements SaslMechanism {
  private static final Pattern EXTENSION_NAME = Pattern.compile("[A-Za-z]+");
  private static final Pattern EXTENSION_VALUE = Pattern.compile("[\\x21-\\x7E \\t\\r\\n]+");

  private final TokenCache tokens;
  private final Map<String, String> extensions;

  OAuthMechanism(TokenCache tokens, Map<String, String> extensions) {
    this.tokens = tokens;
    this.extensions = new TreeMap<>(Objects.requireNonNull(extensions, "extensions"));
    extensions.forEach((name, value) -> {
      if (name.equals("auth") || !EXTENSION_NAME.matcher(name).matches() || !EXTENSION_VALUE.matcher(value).matches()) {
        throw new IllegalArgumentException("extension " + Printable.of(name) + ": a name has letters and is not auth, a"
            + " value has printable ASCII (RFC 7628)");
      }
    });
  }

  @Override
  public String name() {
    return "OAUTHBEARER";
  }

  @Override
  public boolean sendsSecret() {
    return true;
  }

  @Override
  public SaslExchange begin(SaslPeer peer) {
    return new Exchange();
  }

  @Override
  public String toString() {
    return name();
  }

  private final class Exchange implements SaslExchange {
    private byte[] message = {};
    private boolean complete;
    private String refusal = "";

    @Override
    public byte[] initialResponse() throws IOException, InterruptedException {
      byte[] token = tokens.current().value();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      put(out, "n,,\u0001auth=Bearer ");
      out.writeBytes(token);
      put(out, "\u0001");
      extensions.forEach((name, value) -> put(out, name + "=" + value + "\u0001"));
      put(out, "\u0001");
      Arrays.fill(token, (byte) 0);
      message = out.toByteArray();
      return message;
    }

    private void put(ByteArrayOutputStream out, String text) {
      out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Takes the broker's response. A refusal is a message (JSON) that demands one byte, after which the broker ends the
     * exchange.
     */
    @Override
    public byte[] respond(byte[] challenge) {
      if (challenge.length == 0 && refusal.isEmpty()) {
        complete = true;
        return new byte[0];
      }
      if (!refusal.isEmpty()) {
        throw new AuthenticationException("OAUTHBEARER: the broker refuses the token: " + refusal);
      }
      tokens.forget();
      refusal = Printable.of(new String(challenge, StandardCharsets.UTF_8));
      return new byte[] {1};
    }

    @Override
    public boolean isComplete() {
      return complete;
    }

    @Override
    public void close() {
      Arrays.fill(message, (byte) 0);
    }
  }
}
