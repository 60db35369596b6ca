package dev.decant.tls;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Signals that keys or certificates cannot be used. The message names the source, the problem and the cure. */
public final class TlsKeyException extends IOException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message one line without a password or key
   * @param cause the JDK's exception, or null
   */
  public TlsKeyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
