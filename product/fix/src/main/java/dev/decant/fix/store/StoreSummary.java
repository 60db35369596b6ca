package dev.decant.fix.store;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a session's store in files.
 *
 * @param folder the folder of the session
 * @param nextOutbound number of the next message to be sent
 * @param nextInbound number of the next message expected
 * @param created when the numbers began with 1; null if no record says so
 * @param records how many records there are
 * @param messages how many of them hold a message
 * @param files how many segments there are
 * @param bytes size of all segments
 * @param waiting records of an asynchronous store that its thread has not moved to a segment yet
 * @param tail describes bytes behind the last record: the begin of a record that a killed process has left, or that
 *     another process is writing now. Null if there are none
 * @param problems damage, a sentence for each; empty if the store is intact
 */
public record StoreSummary(Path folder, long nextOutbound, long nextInbound, @Nullable Instant created, long records,
    long messages, int files, long bytes, long waiting, @Nullable String tail, List<String> problems) {
  /** Copies the list. */
  public StoreSummary {
    problems = List.copyOf(problems);
  }
}
