package dev.decant.kafka.consumer;

import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.group.ClassicSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What the settings of a consumer mean for a group under the classic protocol. */
final class ClassicOptions {
  private static final List<ConsumerSetting> ONLY_CLASSIC = List.of(ConsumerSetting.ASSIGNORS,
      ConsumerSetting.SESSION_TIMEOUT, ConsumerSetting.HEARTBEAT_INTERVAL, ConsumerSetting.METADATA_MAX_AGE);

  private ClassicOptions() {}

  /** Names of assignors, those of Apache's classes in their short form. */
  static String checkedNames(String text) {
    List<String> names = new ArrayList<>();
    for (String name : text.split(",", -1)) {
      try {
        names.add(Assignors.named(name).name());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("partition.assignment.strategy: " + e.getMessage(), e);
      }
    }
    requireDifferent(names);
    return String.join(",", names);
  }

  /** The names of assignors, of which some are the application's own. */
  static String names(List<Assignor> assignors) {
    List<String> names = assignors.stream().map(Assignor::name).toList();
    if (names.isEmpty()) {
      throw new IllegalArgumentException("partition.assignment.strategy: name one assignor at least");
    }
    for (String name : names) {
      if (name.isBlank() || name.contains(",")) {
        throw new IllegalArgumentException("partition.assignment.strategy: \"" + name
            + "\" is no name of an assignor: it must not be empty or have a comma");
      }
    }
    requireDifferent(names);
    return String.join(",", names);
  }

  private static void requireDifferent(List<String> names) {
    Set<String> seen = new HashSet<>();
    names.forEach(name -> {
      if (!seen.add(name)) {
        throw new IllegalArgumentException("partition.assignment.strategy: " + name + " is named twice");
      }
    });
  }

  /** Refuses what would have no effect under the other protocol. */
  static void requireNone(Collection<ConsumerSetting> explicit) {
    for (ConsumerSetting setting : ONLY_CLASSIC) {
      if (explicit.contains(setting)) {
        throw new IllegalArgumentException(setting.kafkaName() + ": the broker decides that where group.protocol is "
            + "consumer; leave it out, or choose groupProtocol(GroupProtocol.CLASSIC)");
      }
    }
  }

  /** Puts the settings together, once they do not contradict each other. */
  static ClassicSettings of(Map<ConsumerSetting, String> texts, List<Assignor> own) {
    Map<String, Assignor> known = new HashMap<>();
    own.forEach(assignor -> known.put(assignor.name(), assignor));
    List<Assignor> chosen = new ArrayList<>();
    for (String name : texts.getOrDefault(ConsumerSetting.ASSIGNORS, "").split(",", -1)) {
      Assignor mine = known.get(name);
      chosen.add(mine != null ? mine : Assignors.named(name));
    }
    if (!texts.getOrDefault(ConsumerSetting.ASSIGNOR, "").isEmpty()) {
      throw new IllegalArgumentException("group.remote.assignor: the broker does not divide partitions where "
          + "group.protocol is classic; use partition.assignment.strategy, now "
          + chosen.stream().map(Assignor::name).collect(Collectors.joining(",")));
    }
    int session = number(texts, ConsumerSetting.SESSION_TIMEOUT);
    int interval = number(texts, ConsumerSetting.HEARTBEAT_INTERVAL);
    if (interval >= session) {
      throw new IllegalArgumentException("heartbeat.interval.ms: " + interval + " is not less than session.timeout.ms, "
          + session + "; a third of it is usual");
    }
    return new ClassicSettings(chosen, session, interval, number(texts, ConsumerSetting.METADATA_MAX_AGE));
  }

  private static int number(Map<ConsumerSetting, String> texts, ConsumerSetting setting) {
    return Integer.parseInt(texts.getOrDefault(setting, setting.usual()));
  }
}
