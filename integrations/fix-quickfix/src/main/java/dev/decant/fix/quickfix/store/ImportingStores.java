package dev.decant.fix.quickfix.store;

import dev.decant.fix.settings.SessionId;
import dev.decant.fix.store.MessageStore;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Opens stores of Decant in the folder of QuickFIX/J's files, and imports these when a session is first opened. So
 * numbers continue after the change of the engine. A file {@code NAME.decant} records what was imported.
 *
 * <p>If QuickFIX/J has used its files after that, the session is not opened, since only an operator can decide which
 * numbers are right. Any thread.
 */
public final class ImportingStores implements MessageStoreFactory {
  private final Path folder;
  private final MessageStoreFactory target;

  /**
   * Creates stores that import.
   *
   * @param folder FileStorePath of QuickFIX/J
   * @param target opens the stores of Decant, in this folder or another
   */
  public ImportingStores(Path folder, MessageStoreFactory target) {
    this.folder = folder;
    this.target = target;
  }

  @Override
  public MessageStore open(SessionId session, long epochNanos) throws IOException {
    QuickFixFiles files = new QuickFixFiles(folder, session);
    if (files.exists()) {
      String imported = files.marked();
      if (imported == null) {
        files.importInto(target, false);
        mark(files);
      } else if (!imported.equals(files.state())) {
        throw new IOException("session " + session + ": QuickFIX/J has used its files in " + folder + " since they were"
            + " imported. Import them again (`decant fix import --replace`), or remove them to go on with the numbers"
            + " of Decant");
      }
    }
    return target.open(session, epochNanos);
  }

  /**
   * Records that Decant's store has the content of QuickFIX/J's files, after an import or export by hand.
   *
   * @param files the files of the session
   * @throws IOException if the record cannot be written, or belongs to another session
   */
  public static void mark(QuickFixFiles files) throws IOException {
    files.mark();
  }
}
