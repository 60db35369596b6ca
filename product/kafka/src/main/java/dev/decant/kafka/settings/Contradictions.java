package dev.decant.kafka.settings;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Finds settings that are valid alone and contradict each other. */
public final class Contradictions {
  /** The problem of a producer that needs its rack and has none. */
  public static final String RACK_IS_MISSING = "partitioner.rack.aware: needs client.rack, the rack in which this"
      + " producer runs";

  private static final List<String> ONLY_CLASSIC = List.of("partition.assignment.strategy", "session.timeout.ms",
      "heartbeat.interval.ms", "metadata.max.age.ms");

  private Contradictions() {}

  /**
   * Checks the settings of a producer.
   *
   * @param all every setting in effect, default or not
   * @param problems takes the contradictions
   */
  public static void ofProducer(Map<String, String> all, SettingProblems problems) {
    String acks = value(all, "acks");
    boolean idempotent = value(all, "enable.idempotence").equals("true");
    if (idempotent && !acks.equals("all")) {
      problems.add("acks: " + acks + " contradicts enable.idempotence, which is true by default and needs acks=all;"
          + " set enable.idempotence=false or acks=all");
    }
    if (idempotent && value(all, "retries").equals("0")) {
      problems
          .add("retries: 0 contradicts enable.idempotence, which is true by default; set enable.idempotence=false or"
              + " leave retries out: delivery.timeout.ms bounds them");
    }
    if (value(all, "partitioner.rack.aware").equals("true") && value(all, "client.rack").isEmpty()) {
      problems.add(RACK_IS_MISSING);
    }
  }

  /**
   * Checks a consumer against its client: a fetch without records must end before the client fails it as expired.
   *
   * @param requestTimeoutMillis the client's {@code request.timeout.ms}
   * @param fetchMaxWaitMillis the consumer's {@code fetch.max.wait.ms}
   * @param problems takes the contradiction
   */
  public static void ofFetches(long requestTimeoutMillis, long fetchMaxWaitMillis, SettingProblems problems) {
    if (requestTimeoutMillis <= fetchMaxWaitMillis) {
      problems.add("request.timeout.ms: " + requestTimeoutMillis + " is not more than fetch.max.wait.ms, "
          + fetchMaxWaitMillis + "; a fetch without records would end in a timeout: raise request.timeout.ms or lower"
          + " fetch.max.wait.ms");
    }
  }

  /**
   * Checks the settings of a group member.
   *
   * @param all every setting in effect, default or not
   * @param explicit names of the settings that are no default
   * @param problems takes the contradictions
   */
  public static void ofMember(Map<String, String> all, Collection<String> explicit, SettingProblems problems) {
    if (value(all, "group.protocol").equals("consumer")) {
      for (String name : ONLY_CLASSIC) {
        if (explicit.contains(name)) {
          problems.add(name + ": the broker decides that where group.protocol is consumer, Decant's default; leave it"
              + " out, or set group.protocol=classic, Kafka's default");
        }
      }
      return;
    }
    if (!value(all, "group.remote.assignor").isEmpty()) {
      problems.add("group.remote.assignor: the broker does not divide partitions where group.protocol is classic; use"
          + " partition.assignment.strategy, now " + value(all, "partition.assignment.strategy"));
    }
    String session = value(all, "session.timeout.ms");
    String interval = value(all, "heartbeat.interval.ms");
    if (Long.parseLong(interval) >= Long.parseLong(session)) {
      problems.add("heartbeat.interval.ms: " + interval + " is not less than session.timeout.ms, " + session
          + "; a third of it is the default");
    }
  }

  private static String value(Map<String, String> all, String name) {
    return all.getOrDefault(name, "");
  }
}
