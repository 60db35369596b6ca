package dev.decant.kafka.security;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Converts secrets to bytes without a {@code String}, which could not be cleared. */
final class Secrets {
  private static final int MOST_BYTES_PER_CHAR = 3;

  private Secrets() {}

  /** Returns the characters in UTF-8, and clears them. */
  static byte[] utf8(char[] secret) {
    byte[] scratch = new byte[MOST_BYTES_PER_CHAR * secret.length];
    ByteBuffer out = ByteBuffer.wrap(scratch);
    StandardCharsets.UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPLACE)
        .encode(CharBuffer.wrap(secret), out, true);
    byte[] bytes = Arrays.copyOf(scratch, out.position());
    Arrays.fill(scratch, (byte) 0);
    Arrays.fill(secret, '\0');
    return bytes;
  }
}
