package dev.decant.lab.driver.bare;

import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.record.CorruptRecordException;
import dev.decant.kafka.record.RecordBatchReader;
import dev.decant.lab.driver.Consume;
import dev.decant.lab.driver.MeasuredConsumer;
import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.driver.WorkType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Consumes without a client, by a fetch session over one blocking socket to the broker that leads all partitions. While
 * the records of a response are read, with their checksums, the next request is in flight. The headers of the batches
 * give the offsets for the next request. Once the responses have been as large as they get, nothing is allocated.
 */
final class BareConsumer implements MeasuredConsumer, BareFetch.Batches {
  private static final String FETCH_MAX_WAIT = "fetch.max.wait.ms";
  private static final int FIRST_BATCHES = 256;

  private final Sink sink;
  private final BareFetch session;
  private final BareSocket socket;
  private final RecordBatchReader reader = new RecordBatchReader();
  /** For each batch of the response, the index of its first byte and the index after its last. */
  private int[] bounds = new int[2 * FIRST_BATCHES];
  private int boundCount;

  /** The work {@code bare-consume}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("bare-consume", "one fetch that returned records, from before its response is read", Topic.READ_AGAIN,
          spec -> new Consume(spec, BareConsumer::new), Trait.BARE, Trait.ONE_THREAD, Trait.ONE_LEADER);
    }
  }

  BareConsumer(WorkSpec spec, Sink sink) {
    this.sink = sink;
    int partitions = spec.partitions();
    String maxWait = spec.consumer().get(FETCH_MAX_WAIT);
    int maxWaitMillis = maxWait == null ? BareFetch.MAX_WAIT_MILLIS : Integer.parseInt(maxWait);
    session = new BareFetch(spec.topic(), partitions, maxWaitMillis, this);
    socket = BareSocket.toLeader(spec, partitions, BareFetch.mostResponseBytes(partitions));
  }

  @Override
  public void batch(ByteBuffer buffer, int partition, int from, int to) {
    if (boundCount == bounds.length) {
      bounds = Arrays.copyOf(bounds, 2 * boundCount);
    }
    bounds[boundCount++] = from;
    bounds[boundCount++] = to;
  }

  @Override
  public int poll() {
    try {
      if (socket.inFlight() == 0) {
        socket.write(session.request());
      }
      ByteBuffer response = next();
      socket.write(session.request());
      return readBatches(response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ByteBuffer next() throws IOException {
    boundCount = 0;
    ProtocolReader in = socket.read();
    session.read(in);
    return in.buffer();
  }

  private int readBatches(ByteBuffer response) throws IOException {
    int records = 0;
    try {
      for (int i = 0; i < boundCount; i += 2) {
        reader.wrap(response, bounds[i], bounds[i + 1]);
        while (reader.nextBatch()) {
          while (reader.nextRecord()) {
            int length = reader.valueLength();
            int at = reader.valueOffset();
            if (length <= 0) {
              throw new IOException("the broker sent a record without a value");
            }
            ByteBuffer values = reader.buffer();
            sink.value(length, values.get(at), values.get(at + length - 1));
            records++;
          }
        }
      }
    } catch (CorruptRecordException e) {
      throw new IOException("the broker sent a damaged batch: " + e.getMessage(), e);
    }
    return records;
  }

  /** Reads and drops the response in flight, then goes back: its records would be counted in the next pass. */
  @Override
  public void seekToBeginning() {
    try {
      if (socket.inFlight() > 0) {
        next();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    session.rewind();
  }

  @Override
  public void close() {
    socket.close();
  }
}
