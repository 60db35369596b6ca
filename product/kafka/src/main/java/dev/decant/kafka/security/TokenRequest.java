package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;

/**
 * The content of one attempt: a form, and a header if the client has a secret. It also removes the secret from an
 * endpoint's text.
 */
final class TokenRequest implements AutoCloseable {
  private static final String JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private final byte[] body;
  private final byte[] authorization;
  private final byte[] secret;

  private TokenRequest(byte[] body, byte[] authorization, byte[] secret) {
    this.body = body;
    this.authorization = authorization;
    this.secret = secret;
  }

  static TokenRequest clientCredentials(CredentialsProvider client, boolean encodes, Map<String, String> parameters)
      throws IOException, InterruptedException {
    try (Credentials credentials = client.get()) {
      byte[] id = credentials.username().getBytes(StandardCharsets.UTF_8);
      byte[] secret = Secrets.utf8(credentials.password());
      ByteArrayOutputStream pair = new ByteArrayOutputStream();
      pair.writeBytes(encodes ? encoded(id) : id);
      pair.write(':');
      pair.writeBytes(encodes ? encoded(secret) : secret);
      return new TokenRequest(form("client_credentials", parameters).toByteArray(),
          Base64.getEncoder().encode(pair.toByteArray()), secret);
    }
  }

  static TokenRequest jwtBearer(AssertionProvider provider, Map<String, String> parameters)
      throws IOException, InterruptedException {
    byte[] assertion = provider.get();
    ByteArrayOutputStream form = form(JWT_BEARER, parameters);
    put(form, "assertion", assertion);
    return new TokenRequest(form.toByteArray(), new byte[0], assertion);
  }

  private static ByteArrayOutputStream form(String grant, Map<String, String> parameters) {
    ByteArrayOutputStream form = new ByteArrayOutputStream();
    put(form, "grant_type", grant.getBytes(StandardCharsets.UTF_8));
    parameters.forEach((name, value) -> put(form, name, value.getBytes(StandardCharsets.UTF_8)));
    return form;
  }

  private static void put(ByteArrayOutputStream form, String name, byte[] value) {
    if (form.size() > 0) {
      form.write('&');
    }
    form.writeBytes(encoded(name.getBytes(StandardCharsets.UTF_8)));
    form.write('=');
    form.writeBytes(encoded(value));
  }

  /** Encodes text for a form ({@code application/x-www-form-urlencoded}). */
  private static byte[] encoded(byte[] text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte b : text) {
      if ((b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || "-._*".indexOf(b) >= 0) {
        out.write(b);
      } else if (b == ' ') {
        out.write('+');
      } else {
        out.write('%');
        out.writeBytes(HEX.toHexDigits(b).getBytes(StandardCharsets.US_ASCII));
      }
    }
    return out.toByteArray();
  }

  byte[] body() {
    return body;
  }

  /** Returns the header of Basic authentication; empty without a secret. */
  String authorization() {
    return authorization.length == 0 ? "" : "Basic " + new String(authorization, StandardCharsets.US_ASCII);
  }

  /** Returns text of the endpoint, bounded, printable, and without the secret if the endpoint repeats it. */
  String withoutSecret(String words) {
    return Printable.of(without(authorization, without(secret, words)));
  }

  private static String without(byte[] secret, String words) {
    return secret.length == 0 ? words : words.replace(new String(secret, StandardCharsets.UTF_8), "***");
  }

  @Override
  public void close() {
    Arrays.fill(body, (byte) 0);
    Arrays.fill(authorization, (byte) 0);
    Arrays.fill(secret, (byte) 0);
  }
}
