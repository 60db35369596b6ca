package dev.decant.kafka.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** PLAIN (RFC 4616): one message with an empty authorization id, the name and the password, separated by zero bytes. */
final class PlainMechanism implements SaslMechanism {
  private final CredentialsProvider credentials;

  PlainMechanism(CredentialsProvider credentials) {
    this.credentials = Objects.requireNonNull(credentials, "credentials");
  }

  @Override
  public String name() {
    return "PLAIN";
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
    return name() + ", " + credentials;
  }

  private final class Exchange implements SaslExchange {
    private byte[] message = {};
    private boolean complete;

    @Override
    public byte[] initialResponse() throws IOException, InterruptedException {
      try (Credentials user = credentials.get()) {
        byte[] name = user.username().getBytes(StandardCharsets.UTF_8);
        byte[] password = Secrets.utf8(user.password());
        message = new byte[name.length + password.length + 2];
        System.arraycopy(name, 0, message, 1, name.length);
        System.arraycopy(password, 0, message, name.length + 2, password.length);
        Arrays.fill(password, (byte) 0);
        return message;
      }
    }

    @Override
    public byte[] respond(byte[] challenge) {
      if (challenge.length > 0) {
        throw new AuthenticationException("PLAIN: the broker asks for more, which the mechanism does not have");
      }
      complete = true;
      return new byte[0];
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
