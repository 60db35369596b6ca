package dev.decant.fake;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A request of a test that the fake cluster cannot fulfil. The message says what to do. */
public final class FakeClusterException extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  FakeClusterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
