package dev.decant.fake.cluster;

import dev.decant.fake.log.LogSettings;
import dev.decant.fake.log.Retention;
import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A topic. A topic that is deleted and created again is another object, with another id. */
public final class Topic {
  private final String name;
  private final Uuid id;
  private final boolean isInternal;
  private final Settings settings;
  private final List<Partition> partitions = new ArrayList<>();
  /** The last result of {@link #logSettings()}; null after a change. */
  private @Nullable LogSettings logSettings;

  Topic(String name, Uuid id, boolean isInternal, Settings settings) {
    this.name = name;
    this.id = id;
    this.isInternal = isInternal;
    this.settings = settings;
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the id. */
  public Uuid id() {
    return id;
  }

  /** Returns true for Kafka's own topics. */
  public boolean isInternal() {
    return isInternal;
  }

  /** Returns the settings. Call {@link #settingsChanged} after a change. */
  public Settings settings() {
    return settings;
  }

  /** Applies changed settings to the logs. */
  public void settingsChanged() {
    logSettings = null;
  }

  /** Returns the settings for the logs. */
  public LogSettings logSettings() {
    LogSettings now = logSettings;
    if (now == null) {
      now = new LogSettings(settings.getInt("max.message.bytes"), settings.get("cleanup.policy").contains("compact"),
          settings.get("message.timestamp.type").equals("LogAppendTime"),
          settings.getLong("message.timestamp.before.max.ms"), settings.getLong("message.timestamp.after.max.ms"),
          settings.getInt("segment.bytes"), settings.getLong("segment.ms"));
      logSettings = now;
    }
    return now;
  }

  /** Returns the retention of the logs; without limits if the policy is not to delete. */
  Retention retention() {
    return settings.get("cleanup.policy").contains("delete")
        ? new Retention(settings.getLong("retention.ms"), settings.getLong("retention.bytes"))
        : new Retention(-1, -1);
  }

  /** Returns the partitions, by their numbers. */
  public List<Partition> partitions() {
    return Collections.unmodifiableList(partitions);
  }

  /** Returns a partition, or null. */
  public @Nullable Partition partition(int index) {
    return index >= 0 && index < partitions.size() ? partitions.get(index) : null;
  }

  void add(Partition partition) {
    partitions.add(partition);
  }

  @Override
  public String toString() {
    return name;
  }
}
