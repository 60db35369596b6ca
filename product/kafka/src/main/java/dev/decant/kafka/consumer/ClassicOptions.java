package dev.decant.kafka.consumer;

import dev.decant.kafka.assignor.Assignor;
import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.group.ClassicSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Builds the settings of a group under the classic protocol. */
final class ClassicOptions {
  private ClassicOptions() {}

  /** Checks names of Decant's assignors, and shortens those of Apache's classes. */
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

  /** Checks and joins the names of assignors, some of which are the application's own. */
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

  /** Builds settings that were checked before. */
  static ClassicSettings of(Map<ConsumerSetting, String> texts, List<Assignor> own) {
    Map<String, Assignor> known = new HashMap<>();
    own.forEach(assignor -> known.put(assignor.name(), assignor));
    List<Assignor> chosen = new ArrayList<>();
    for (String name : texts.getOrDefault(ConsumerSetting.ASSIGNORS, "").split(",", -1)) {
      Assignor mine = known.get(name);
      chosen.add(mine != null ? mine : Assignors.named(name));
    }
    return new ClassicSettings(chosen, number(texts, ConsumerSetting.SESSION_TIMEOUT),
        number(texts, ConsumerSetting.HEARTBEAT_INTERVAL), number(texts, ConsumerSetting.METADATA_MAX_AGE));
  }

  private static int number(Map<ConsumerSetting, String> texts, ConsumerSetting setting) {
    return Integer.parseInt(texts.getOrDefault(setting, setting.defaultValue()));
  }
}
