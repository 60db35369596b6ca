package dev.decant.kafka.producer;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Settings that go together. What a preset does not name keeps its default; what is set by a call wins, whatever
 * the order of calls. No preset weakens acknowledgements, idempotence or CRC checking.
 */
public enum Preset {
  /** Large batches, for which records wait up to 100 ms. */
  HIGH_THROUGHPUT(Map.of(ProducerSetting.LINGER, 100L, ProducerSetting.BATCH_SIZE, 128L * 1024,
      ProducerSetting.BUFFER_MEMORY, 64L << 20)),
  /** Records wait for nothing, and a retry comes soon. */
  LOW_LATENCY(Map.of(ProducerSetting.LINGER, 0L, ProducerSetting.BATCH_SIZE, 16L * 1024, ProducerSetting.RETRY_BACKOFF,
      20L, ProducerSetting.RETRY_BACKOFF_MAX, 200L)),
  /** Outages of up to ten minutes are ridden out, with acknowledgements of all in-sync replicas. */
  RELIABLE(Map.of(ProducerSetting.ACKS, -1L, ProducerSetting.IDEMPOTENCE, 1L, ProducerSetting.DELIVERY_TIMEOUT,
      600_000L, ProducerSetting.MAX_BLOCK, 600_000L, ProducerSetting.RETRY_BACKOFF_MAX, 5_000L));

  @SuppressWarnings("ImmutableEnumChecker") // cannot be changed: see the constructor
  private final Map<ProducerSetting, Long> settings;

  Preset(Map<ProducerSetting, Long> settings) {
    this.settings = Collections.unmodifiableMap(new EnumMap<>(settings));
  }

  /**
   * What it sets.
   *
   * @return in Kafka's units
   */
  public Map<ProducerSetting, Long> settings() {
    return settings;
  }

  /**
   * The value under this preset, named by it or the default.
   *
   * @param setting which
   * @return in Kafka's unit
   */
  public long value(ProducerSetting setting) {
    return settings.getOrDefault(setting, setting.defaultValue());
  }

  /**
   * How another preset differs.
   *
   * @param other to compare with
   * @return by Kafka's name, the value here and there: {@code linger.ms} to {@code 100 -> 0}
   */
  public Map<String, String> differences(Preset other) {
    Set<ProducerSetting> named = EnumSet.noneOf(ProducerSetting.class);
    named.addAll(settings.keySet());
    named.addAll(other.settings.keySet());
    Map<String, String> differences = new TreeMap<>();
    for (ProducerSetting setting : named) {
      long here = value(setting);
      long there = other.value(setting);
      if (here != there) {
        differences.put(setting.kafkaName(), setting.format(here) + " -> " + setting.format(there));
      }
    }
    return differences;
  }

  /**
   * What it sets, as properties of Kafka.
   *
   * @return one line per setting
   */
  public String describe() {
    StringBuilder text = new StringBuilder();
    settings.forEach((setting, value) -> text.append(setting.kafkaName()).append('=').append(setting.format(value))
        .append('\n'));
    return text.toString();
  }
}
