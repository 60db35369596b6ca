package dev.decant.faults.work;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The commits of a group as the brokers have stored them, in their order. Metadata is decoded here by its documented
 * format: {@code w1.} and, in Base64, unsigned varints that count offsets in turns, not done and done.
 */
final class CommitLog implements Coverage {
  private static final String TOPIC = "__consumer_offsets";
  private static final String METADATA_VERSION = "w1.";
  /** Times without a commit that the report shows. */
  private static final long GAP_NANOS = TimeUnit.SECONDS.toNanos(4);
  /** Versions of the keys of commits, by Kafka's {@code OffsetCommitKey}. */
  private static final int LAST_KEY_VERSION = 1;
  /** Values are flexible from this version on. */
  private static final int FLEXIBLE_VERSION = 4;

  /** One partition: when each offset was covered first, and the offset that was committed last. */
  private static final class Partition {
    long[] since = new long[1024];
    /** All offsets before it were covered by an offset, not by metadata. */
    int next;
    long committed;
    /** When the last commit was stored; 0 before the first. */
    long lastNanos;

    void cover(long from, long to, long nanos) {
      while (to > since.length) {
        since = Arrays.copyOf(since, since.length * 2);
      }
      for (int i = (int) from; i < to; i++) {
        if (since[i] == 0) {
          since[i] = nanos;
        }
      }
    }
  }

  private final String group;
  /** Readings of the monotonic clock minus those of the wall clock. */
  private final long wallToNanos;
  private final Map<String, Partition> partitions = new HashMap<>();
  private final List<String> gaps = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private int commits;
  private int withMetadata;

  CommitLog(String group) {
    this.group = group;
    wallToNanos = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  static CommitLog read(String bootstrap, String group) {
    CommitLog log = new CommitLog(group);
    // Each group is in one partition of the topic, so the records of one group come in their order.
    TopicReader.readAll(bootstrap, TOPIC, log::record);
    return log;
  }

  private void record(ConsumerRecord<byte[], byte[]> record) {
    if (record.key() == null || record.value() == null) {
      return;
    }
    ByteBuffer key = ByteBuffer.wrap(record.key());
    if (key.getShort() > LAST_KEY_VERSION || !string(key).equals(group)) {
      return;
    }
    String topic = string(key);
    int partition = key.getInt();
    ByteBuffer value = ByteBuffer.wrap(record.value());
    short version = value.getShort();
    long offset = value.getLong();
    if (version >= 3) {
      value.getInt(); // the leader's epoch
    }
    String metadata = version >= FLEXIBLE_VERSION ? compactString(value) : string(value);
    add(topic, partition, offset, metadata, value.getLong());
  }

  private static String string(ByteBuffer in) {
    return text(in, in.getShort());
  }

  private static String compactString(ByteBuffer in) {
    return text(in, (int) varint(in) - 1);
  }

  private static String text(ByteBuffer in, int length) {
    byte[] bytes = new byte[Math.max(length, 0)];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0;; shift += 7) {
      byte b = in.get();
      value |= (long) (b & 0x7F) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }

  /** Takes a commit; the time is that of the brokers' wall clock. */
  void add(String topic, int partition, long offset, String metadata, long wallMillis) {
    commits++;
    long nanos = TimeUnit.MILLISECONDS.toNanos(wallMillis) + wallToNanos;
    Partition of = partitions.computeIfAbsent(topic + '-' + partition, name -> new Partition());
    lines.add(Run.millis(nanos) + ' ' + topic + '-' + partition + ' ' + offset + ' ' + metadata);
    if (of.lastNanos != 0 && nanos - of.lastNanos >= GAP_NANOS && offset > of.committed) {
      gaps.add(topic + '-' + partition + " from " + Run.millis(of.lastNanos) + " to " + Run.millis(nanos));
    }
    of.lastNanos = nanos;
    of.cover(of.next, offset, nanos);
    of.next = Math.max(of.next, (int) offset);
    of.committed = offset;
    if (metadata.startsWith(METADATA_VERSION)) {
      withMetadata++;
      ByteBuffer runs = ByteBuffer.wrap(Base64.getDecoder().decode(metadata.substring(METADATA_VERSION.length())));
      long at = offset;
      while (runs.hasRemaining()) {
        at += varint(runs);
        long to = at + varint(runs);
        of.cover(at, to, nanos);
        at = to;
      }
    }
  }

  @Override
  public long since(Place place) {
    Partition of = partitions.get(place.topic() + '-' + place.partition());
    if (of == null || place.offset() >= of.since.length || of.since[(int) place.offset()] == 0) {
      return Span.NEVER;
    }
    return of.since[(int) place.offset()];
  }

  /** The offset that was committed last; null if none was. */
  @Nullable
  Long committed(String topic, int partition) {
    Partition of = partitions.get(topic + '-' + partition);
    return of == null ? null : of.committed;
  }

  /** Partitions whose last committed offset is not the end of their records. */
  List<String> uncommitted(String topic, Map<Integer, Long> ends) {
    List<String> behind = new ArrayList<>();
    ends.forEach((partition, end) -> {
      Long committed = committed(topic, partition);
      if (committed == null || committed < end) {
        behind.add(topic + '-' + partition + " ends at " + end + ", and " + committed + " is committed");
      }
    });
    return behind;
  }

  /** All commits, one a line. */
  List<String> lines() {
    return lines;
  }

  String summary() {
    return commits + " commits of partitions, " + withMetadata + " with metadata; no commits of " + gaps;
  }
}
