package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The metrics of Apache's clients of this release beside Decant's: dashboards and alerts for a name of Apache's were
 * empty. Both clients do the same work on one broker. A table of docs/apache-metrics.md lists the names that Decant
 * does not have, with a reason for each.
 */
class ApacheMetricsTest extends ReadsFromFake {
  private static final Path PAGE = Path.of("../../docs/apache-metrics.md");
  private static final Pattern ROW = Pattern.compile("\\| `([a-z-]+)` \\| `([a-z-]+)` \\| (.+) \\|");
  private static final String CLIENT = "measured";

  /** A metric's group, name, names of tags, and the kind that publishing programs check. */
  private static Map<String, String> kinds(Map<MetricName, ? extends Metric> metrics) {
    Map<String, String> kinds = new TreeMap<>();
    metrics.forEach((name, metric) -> kinds.put(name.group() + " " + name.name() + " "
        + new TreeSet<>(name.tags().keySet()), kind((KafkaMetric) metric)));
    return kinds;
  }

  /** Returns the class that Micrometer's binder and others check. */
  private static String kind(KafkaMetric metric) {
    try {
      return metric.measurable() instanceof CumulativeSum ? "counter" : "measured";
    } catch (IllegalStateException e) { // the metric has no statistic of numbers
      return "gauge of " + metric.metricValue().getClass().getSimpleName();
    }
  }

  private Map<String, String> producer(boolean ofDecant, String topic) {
    Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap(), "client.id", CLIENT,
        "transactional.id", fresh("measured"), "compression.type", "gzip");
    try (Producer<String, String> producer = ofDecant
        ? new DecantProducer<>(settings, new StringSerializer(), new StringSerializer())
        : new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      assertThat(producer.send(new ProducerRecord<>(topic, "k", "v")).get(30, TimeUnit.SECONDS).hasOffset()).isTrue();
      producer.commitTransaction();
      return kinds(producer.metrics());
    } catch (InterruptedException | ExecutionException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private Map<String, String> consumer(boolean ofDecant, String protocol, String topic) {
    Map<String, Object> settings = settings(protocol, fresh("measured"));
    settings.put("client.id", CLIENT);
    try (Consumer<String, String> consumer = ofDecant
        ? new DecantConsumer<>(settings)
        : new KafkaConsumer<>(settings)) {
      consumer.subscribe(List.of(topic));
      read(consumer, 2);
      consumer.poll(SHORT);
      consumer.commitSync();
      return kinds(consumer.metrics());
    }
  }

  /** Names that the page lists as missing. */
  private static Set<String> listed() throws IOException {
    Set<String> listed = new HashSet<>();
    Matcher rows = ROW.matcher(Files.readString(PAGE));
    while (rows.find()) {
      listed.add(rows.group(1) + " " + rows.group(2));
    }
    return listed;
  }

  private static Set<String> withoutTags(Set<String> names) {
    return names.stream().map(name -> name.substring(0, name.indexOf(" ["))).collect(Collectors.toSet());
  }

  private static void compare(Map<String, String> apaches, Map<String, String> ours, Set<String> missing) {
    Map<String, String> lacking = new TreeMap<>(apaches);
    lacking.keySet().removeAll(ours.keySet());
    assertThat(withoutTags(lacking.keySet())).as("missing").isEqualTo(missing);
    Map<String, String> shared = new HashMap<>(apaches);
    shared.keySet().retainAll(ours.keySet());
    assertThat(ours).as("kinds").containsAllEntriesOf(shared);
  }

  /** Returns the metrics of this release that the page lists. */
  private static Set<String> expected(Map<String, String> apaches) throws IOException {
    Set<String> expected = listed();
    expected.retainAll(withoutTags(apaches.keySet()));
    return expected;
  }

  @Test
  void producerHasApachesMetrics() throws IOException {
    String topic = topic(1);
    Map<String, String> apaches = producer(false, topic);
    compare(apaches, producer(true, topic), expected(apaches));
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void consumerHasApachesMetrics(String protocol) throws IOException {
    String topic = fresh("orders") + ".of.today"; // a name with dots has more metrics in some releases
    createTopic(topic, 1);
    send(topic, 0, "abc", "def");
    Map<String, String> apaches = consumer(false, protocol, topic);
    Map<String, String> ours = consumer(true, protocol, topic);
    compare(apaches, ours, expected(apaches));
  }

  @Test
  @ClientsFrom(value = "4.3", because = "the page is that of 4.3")
  void pageListsNothingElse() throws IOException {
    String topic = topic(1);
    send(topic, 0, "abc", "def");
    Map<String, String> apaches = producer(false, topic);
    apaches.putAll(consumer(false, "classic", topic));
    apaches.putAll(consumer(false, "consumer", topic));
    Map<String, String> ours = producer(true, topic);
    ours.putAll(consumer(true, "classic", topic));
    ours.putAll(consumer(true, "consumer", topic));
    assertThat(withoutTags(apaches.keySet())).containsAll(listed());
    assertThat(apaches.keySet()).as("none that Apache's clients do not have").containsAll(ours.keySet());
  }
}
