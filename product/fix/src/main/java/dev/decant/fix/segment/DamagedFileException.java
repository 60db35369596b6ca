package dev.decant.fix.segment;

import java.io.IOException;
import java.nio.file.Path;

/** Reports a file of a store whose content is not what was written. */
public final class DamagedFileException extends IOException {
  private static final long serialVersionUID = 1;

  /** Creates the exception for the first byte that is wrong. */
  public DamagedFileException(Path path, long at, String how) {
    super(path + " is damaged at byte " + at + ": " + how + ". Restore the file from a copy. Or open the store with"
        + " FileStores.Builder.recoverPrefix, which keeps what is in front of the damage; then agree with the"
        + " counterparty on the numbers");
  }
}
