package dev.decant.lab.stress;

import dev.decant.lab.driver.WorkSpec;
import java.util.List;

/**
 * The plan of a stress run.
 *
 * @param scenarios {@code produce}, {@code consume}
 * @param clients clients, in the order of the first turn
 * @param recordSizes lengths of values, in bytes
 * @param records number of records in each produce sample; 0 for a number that depends on the size
 * @param durationMillis if above 0, the duration of each sample in place of a number of records
 * @param partitions number of partitions of each topic
 * @param acks {@code 0}, {@code 1} or {@code all}
 * @param lingerMillis {@code linger.ms} of the producers
 * @param batchSizeBytes {@code batch.size} of the producers
 * @param rounds number of rounds, in each of which all clients have their turns there and back
 * @param quick true for short samples
 * @param jvmArguments flags of the measured clients, after the lab's own
 * @param seed seed of the payloads
 */
public record StressPlan(List<String> scenarios, List<String> clients, List<Integer> recordSizes, long records,
    long durationMillis, int partitions, String acks, int lingerMillis, int batchSizeBytes, int rounds, boolean quick,
    List<String> jvmArguments, long seed) {

  /** Decant's client. */
  public static final String DECANT = WorkSpec.DECANT;
  /** The loop without a client, with which bars are compared. */
  public static final String BARE = WorkSpec.BARE_SOCKET;
  /** The size for which the bars are set, and at which the loop without a client is measured. */
  public static final int BARE_SIZE = 100;
  /**
   * Duration of a sample without the user's own, and not in a quick run. Samples of 1 to 4 s, which a number of records
   * gave, often differed too much for a conclusion.
   */
  public static final long DEFAULT_MILLIS = 5000;
  /** The peer, which is the control of every comparison. */
  public static final String PEER = WorkSpec.PEER;

  private static final long QUICK_RECORDS = 2_000_000;
  private static final long FULL_RECORDS = 4_000_000;
  private static final long MAX_BYTES = 1_200_000_000;
  /**
   * Number of passes of a consume sample over the topic: consuming is faster than producing, so a sample of the same
   * length needs more records.
   */
  private static final int PASSES = 3;
  private static final int QUICK_PASSES = 2;
  /** Most time of a quick run's warm-up; with less, the samples of a busy machine would be measured too early. */
  private static final long QUICK_WARM_UP_MILLIS = 6000;
  /** Most time of any other run's warm-up. */
  private static final long WARM_UP_MILLIS = 15_000;

  /**
   * Returns the number of records of a produce sample.
   *
   * @param recordSize length of a value
   * @return records
   */
  public long produceRecords(int recordSize) {
    return records > 0 ? records : Math.min(quick ? QUICK_RECORDS : FULL_RECORDS, MAX_BYTES / recordSize);
  }

  /**
   * Returns the number of records before the measurement.
   *
   * @param recordSize length of a value
   * @return a number after which the JIT compiler rests
   */
  public long warmUpRecords(int recordSize) {
    long measured = Math.min(quick ? QUICK_RECORDS : FULL_RECORDS, MAX_BYTES / recordSize);
    return measured * 3 / 2;
  }

  /**
   * Returns the most time of a sample's warm-up.
   *
   * @return milliseconds
   */
  public long warmUpMillis() {
    return quick ? QUICK_WARM_UP_MILLIS : WARM_UP_MILLIS;
  }

  /**
   * Returns the number of records of the topic that is consumed. With few records, the pause at the topic's end would
   * be measured.
   *
   * @param recordSize length of a value
   * @return records
   */
  public long topicRecords(int recordSize) {
    return records > 0 ? records : Math.min(FULL_RECORDS, MAX_BYTES / recordSize);
  }

  /**
   * Returns the least number of records that a consume sample reads.
   *
   * @param recordSize length of a value
   * @return records
   */
  public long consumeRecords(int recordSize) {
    return topicRecords(recordSize) * (quick ? QUICK_PASSES : PASSES);
  }

  /**
   * Returns the clients of a size: the loop without a client is measured at one size only.
   *
   * @param recordSize length of a value
   * @return in the order of the first turn
   */
  public List<String> clients(int recordSize) {
    return clients.stream().filter(client -> !client.equals(BARE) || recordSize == BARE_SIZE).toList();
  }
}
