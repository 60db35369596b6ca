package dev.decant.kafka.security;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Gives the assertion (a signed JWT, RFC 7523) that a client sends to a token endpoint instead of a secret. Called for
 * each token, on a virtual thread, one call at a time; may block. {@link JwtAssertion} signs assertions itself.
 */
@FunctionalInterface
public interface AssertionProvider {
  /**
   * Returns an assertion that is valid now.
   *
   * @return its bytes, cleared by the caller after use
   * @throws AuthenticationException if the configuration does not allow one
   * @throws IOException if it is not available now
   * @throws InterruptedException if the thread was interrupted
   */
  byte[] get() throws IOException, InterruptedException;

  /**
   * Makes a provider of assertions that another program writes to a file. The file is read for each token.
   *
   * @param file the JWT, with nothing but space around it
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
