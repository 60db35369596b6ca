package dev.decant.kafka.fetch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Creates fetched records that otherwise only a response creates. */
public final class FetchedForTests {
  private FetchedForTests() {}

  /**
   * Returns records in the memory of a response, as of the first seek. They cannot be released.
   *
   * @param offset of the fetch
   * @param bytes size of the records
   */
  @SuppressWarnings("NullAway") // a buffer that is never released needs no fetcher
  public static FetchedRecords records(PartitionFetchState partition, long offset, int bytes) {
    @Nullable
    Fetcher nobody = null;
    return new FetchedRecords("", new FetchBuffer(nobody, ""), partition).requested(partition, 0, offset)
        .in(ByteBuffer.allocate(bytes), 0, bytes, null);
  }
}
