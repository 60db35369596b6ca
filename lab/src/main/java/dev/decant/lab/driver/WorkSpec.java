package dev.decant.lab.driver;

/**
 * What one client has to do in one sample.
 *
 * @param client {@code decant} or {@code kafka-clients-4.3.1}
 * @param scenario {@code produce} or {@code consume}
 * @param bootstrap where the cluster is
 * @param topic produced to, or consumed whole, again and again
 * @param partitions of the topic
 * @param topicRecords how many records the topic has, to consume
 * @param recordSizeBytes length of a value
 * @param acks {@code 0}, {@code 1} or {@code all}
 * @param lingerMillis how long a batch may wait to fill
 * @param batchSizeBytes how large a batch may grow
 * @param warmUpRecords before the measurement
 * @param records measured; a consumer rounds up to whole passes over the topic
 * @param durationMillis measure for this long instead, if above 0
 * @param seed of the payloads
 */
public record WorkSpec(String client, String scenario, String bootstrap, String topic, int partitions,
    long topicRecords, int recordSizeBytes, String acks, int lingerMillis, int batchSizeBytes, long warmUpRecords,
    long records, long durationMillis, long seed) {
  /**
   * How long a broker may hold a consumer's fetch back, in milliseconds. At the end of a topic a fetch waits there that
   * long, and only then can the next pass begin, so it is short, for all clients alike.
   */
  public static final int FETCH_MAX_WAIT_MILLIS = 10;
}
