package dev.decant.fake.junit;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.FakeClusterBuilder;
import dev.decant.fake.cluster.Release;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Starts the cluster that an annotation describes. */
final class FakeClusters {
  private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})");

  private FakeClusters() {}

  static FakeCluster start(FakeKafka wanted) {
    FakeClusterBuilder builder = FakeCluster.builder().brokers(wanted.brokers());
    if (wanted.inMemory()) {
      builder.inMemory();
    }
    for (String topic : wanted.topics()) {
      builder.topic(topic);
    }
    if (!wanted.release().isEmpty()) {
      Matcher release = RELEASE.matcher(wanted.release());
      if (!release.matches()) {
        throw new IllegalArgumentException(
            "release \"" + wanted.release() + "\" of @FakeKafka is not like 3.9; write one of " + Release.KNOWN);
      }
      builder.release(Integer.parseInt(release.group(1)), Integer.parseInt(release.group(2)));
    }
    Set<String> names = new HashSet<>();
    for (String setting : wanted.settings()) {
      int equals = setting.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("setting \"" + setting + "\" of @FakeKafka is not like name=value");
      }
      String name = setting.substring(0, equals).trim();
      if (!names.add(name)) {
        throw new IllegalArgumentException("setting " + name + " of @FakeKafka is given twice; remove one of them");
      }
      builder.setting(name, setting.substring(equals + 1).trim());
    }
    FakeCluster cluster = builder.start();
    try {
      for (String fault : wanted.faults()) {
        var unused = cluster.faults().add(fault);
      }
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }
}
