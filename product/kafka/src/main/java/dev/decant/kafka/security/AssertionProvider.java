package dev.decant.kafka.security;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Gives the assertion (a signed JWT, RFC 7523) that a client shows to a token endpoint in place of a secret. Called for
 * each token, on a virtual thread, one call at a time; may block. {@link JwtAssertion} signs its own.
 */
@FunctionalInterface
public interface AssertionProvider {
  /**
   * An assertion that is good now.
   *
   * @return its bytes, cleared by the caller after use
   * @throws AuthenticationException if it cannot be made from what is configured
   * @throws IOException if it cannot be had now
   * @throws InterruptedException if the thread was interrupted
   */
  byte[] get() throws IOException, InterruptedException;

  /**
   * An assertion that something else writes to a file. The file is read for each token.
   *
   * @param file the JWT, with space around it at most
   * @return the provider
   */
  static AssertionProvider file(Path file) {
    Objects.requireNonNull(file, "file");
    return new AssertionProvider() {
      @Override
      public byte[] get() throws IOException {
        return SecretFile.read(file, "the assertion");
      }

      @Override
      public String toString() {
        return "assertion of " + file;
      }
    };
  }
}
