package dev.decant.kafka.fetch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Makes what only a response makes otherwise. */
public final class FetchedForTests {
  private FetchedForTests() {}

  /**
   * Records in the memory of a response. They cannot be released.
   *
   * @param partition whose they are
   * @param offset that was asked for
   * @param bytes how many
   * @return as of the first seek
   */
  @SuppressWarnings("NullAway") // a buffer that nobody gives back needs no fetcher
  public static FetchedRecords records(PartitionFetchState partition, long offset, int bytes) {
    @Nullable
    Fetcher nobody = null;
    return new FetchedRecords("", new FetchBuffer(nobody, ""), partition).asked(partition, 0, offset)
        .in(ByteBuffer.allocate(bytes), 0, bytes, null);
  }
}
