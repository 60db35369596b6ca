package dev.decant.tls;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Keys or certificates cannot be used. The message names the source, what is wrong with it, and what to do. */
public final class TlsKeyException extends IOException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message in one line, without a password or key
   * @param cause what the JDK said, or null
   */
  public TlsKeyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
