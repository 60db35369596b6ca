package dev.decant.lab.stress;

import java.util.Arrays;
import java.util.List;

/** Checks that each topic of a work has its share of the records: the total does not show records in a wrong topic. */
final class TopicShares {
  private TopicShares() {}

  /**
   * Compares the topics. Each thread sends to them in turns, so topics differ by at most one record for each thread.
   *
   * @param names names of the topics
   * @param ends end offsets of the partitions of each topic
   * @param threads number of sending threads
   * @throws IllegalStateException if a topic has too many records, or too few
   */
  static void check(List<String> names, List<long[]> ends, int threads) {
    long[] records = ends.stream().mapToLong(partitions -> Arrays.stream(partitions).sum()).toArray();
    long least = Arrays.stream(records).min().orElse(0);
    for (int topic = 0; topic < records.length; topic++) {
      if (records[topic] - least > threads) {
        throw new IllegalStateException("the topic " + names.get(topic) + " has " + records[topic]
            + " records, and another one " + least + "; each is to have as many");
      }
    }
  }
}
