package dev.decant.lab.stress;

import dev.decant.lab.driver.WorkSpec;
import java.util.List;

/**
 * What a stress run does.
 *
 * @param scenarios {@code produce}, {@code consume}
 * @param clients in the order of the first turn
 * @param recordSizes lengths of values, in bytes
 * @param records measured per produce sample; 0 to choose by size
 * @param durationMillis measure each sample for this long instead, if above 0
 * @param partitions of each topic
 * @param acks {@code 0}, {@code 1} or {@code all}
 * @param lingerMillis of the producers
 * @param batchSizeBytes of the producers
 * @param rounds how often the clients take turns, there and back
 * @param quick short samples
 * @param jvmArguments of the measured clients, after the lab's own
 * @param seed of the payloads
 */
public record StressPlan(List<String> scenarios, List<String> clients, List<Integer> recordSizes, long records,
    long durationMillis, int partitions, String acks, int lingerMillis, int batchSizeBytes, int rounds, boolean quick,
    List<String> jvmArguments, long seed) {

  /** Our own client. */
  public static final String DECANT = WorkSpec.DECANT;
  /** A loop without a client, which bars are compared with. */
  public static final String BARE = WorkSpec.BARE_SOCKET;
  /** The size for which the bars are set, and at which the loop without a client is measured. */
  public static final int BARE_SIZE = 100;
  /** How long a sample is, unless the user or a quick run says otherwise. */
  public static final long USUAL_MILLIS = 5000;
  /** The peer, which is the control of every comparison. */
  public static final String PEER = WorkSpec.PEER;

  private static final long QUICK_RECORDS = 2_000_000;
  private static final long FULL_RECORDS = 4_000_000;
  private static final long MAX_BYTES = 1_200_000_000;
  /** How often a consume sample reads the topic; consuming is faster, so it takes more to measure for as long. */
  private static final int PASSES = 3;
  private static final int QUICK_PASSES = 2;
  /** A quick run ends in time on a busy machine, too. */
  private static final long QUICK_WARM_UP_MILLIS = 6000;
  /** And so does any other one. */
  private static final long WARM_UP_MILLIS = 15_000;

  /**
   * How many records a produce sample measures.
   *
   * @param recordSize length of a value
   * @return records
   */
  public long produceRecords(int recordSize) {
    return records > 0 ? records : Math.min(quick ? QUICK_RECORDS : FULL_RECORDS, MAX_BYTES / recordSize);
  }

  /**
   * How many records a sample does before it is measured.
   *
   * @param recordSize length of a value
   * @return so many that the JIT compiler has come to rest
   */
  public long warmUpRecords(int recordSize) {
    long usual = Math.min(quick ? QUICK_RECORDS : FULL_RECORDS, MAX_BYTES / recordSize);
    return usual * 3 / 2;
  }

  /**
   * How long a sample's warm-up takes at most.
   *
   * @return milliseconds
   */
  public long warmUpMillis() {
    return quick ? QUICK_WARM_UP_MILLIS : WARM_UP_MILLIS;
  }

  /**
   * How many records lie in the topic that is consumed. Few would measure the pause at its end, not the way there.
   *
   * @param recordSize length of a value
   * @return records
   */
  public long topicRecords(int recordSize) {
    return records > 0 ? records : Math.min(FULL_RECORDS, MAX_BYTES / recordSize);
  }

  /**
   * How many records a consume sample reads at least.
   *
   * @param recordSize length of a value
   * @return records
   */
  public long consumeRecords(int recordSize) {
    return topicRecords(recordSize) * (quick ? QUICK_PASSES : PASSES);
  }

  /**
   * The clients of a size: the loop without a client is measured at one size only.
   *
   * @param recordSize length of a value
   * @return in the order of the first turn
   */
  public List<String> clients(int recordSize) {
    return clients.stream().filter(client -> !client.equals(BARE) || recordSize == BARE_SIZE).toList();
  }
}
