package dev.decant.fake.cluster;

import dev.decant.fake.log.LogSettings;
import dev.decant.fake.log.Retention;
import dev.decant.kafka.protocol.Uuid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A topic. One that is deleted and made again is another object, with another id. */
public final class Topic {
  private final String name;
  private final Uuid id;
  private final boolean isInternal;
  private final Settings settings;
  private final List<Partition> partitions = new ArrayList<>();
  /** What {@link #logSettings()} has last computed; null after a change. */
  private @Nullable LogSettings logSettings;

  Topic(String name, Uuid id, boolean isInternal, Settings settings) {
    this.name = name;
    this.id = id;
    this.isInternal = isInternal;
    this.settings = settings;
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** Its id. */
  public Uuid id() {
    return id;
  }

  /** Whether it is one of Kafka's own. */
  public boolean isInternal() {
    return isInternal;
  }

  /** Its settings; {@link #settingsChanged} has to follow a change. */
  public Settings settings() {
    return settings;
  }

  /** Has the logs follow changed settings. */
  public void settingsChanged() {
    logSettings = null;
  }

  /** What its logs take. */
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

  /** How much of its logs is kept: all of them where its policy is not to delete. */
  Retention retention() {
    return settings.get("cleanup.policy").contains("delete")
        ? new Retention(settings.getLong("retention.ms"), settings.getLong("retention.bytes"))
        : new Retention(-1, -1);
  }

  /** Its partitions, by their numbers. */
  public List<Partition> partitions() {
    return Collections.unmodifiableList(partitions);
  }

  /** A partition, or null. */
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
