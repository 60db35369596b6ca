package dev.decant.kafka.work.apache;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.work.bridge.TopicAccess;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Asks for topics with a consumer without a group, and creates them with an admin. */
final class ApacheTopics implements TopicAccess {
  private final ApacheClients clients;
  private final Consumer<byte[], byte[]> asks;

  ApacheTopics(ApacheClients clients) {
    this.clients = clients;
    this.asks = clients.consumer(clients.settings().reader());
  }

  @Override
  public int partitions(String topic, Duration timeout) throws InterruptedException {
    try {
      List<PartitionInfo> partitions = asks.partitionsFor(topic, timeout);
      return partitions == null ? 0 : partitions.size(); // releases before 4.0 return null for an unknown topic
    } catch (UnknownTopicOrPartitionException e) {
      return 0;
    } catch (InterruptException e) {
      throw ApacheFailures.interrupted(e);
    } catch (RuntimeException e) {
      throw ApacheFailures.of(e);
    }
  }

  @Override
  public Map<String, String> settings(String topic, List<String> names, Duration timeout)
      throws InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin = clients.admin(clients.settings().admin())) {
      Config config = admin.describeConfigs(List.of(resource)).all().get(timeout.toMillis(), TimeUnit.MILLISECONDS)
          .getOrDefault(resource, new Config(List.of()));
      Map<String, String> values = new HashMap<>();
      for (String name : names) {
        ConfigEntry entry = config.get(name);
        if (entry != null && entry.value() != null) {
          values.put(name, entry.value());
        }
      }
      return values;
    } catch (ExecutionException e) {
      throw ApacheFailures.of(e.getCause() == null ? e : e.getCause());
    } catch (java.util.concurrent.TimeoutException e) {
      throw new KafkaTimeoutException("settings of topic " + topic + " were not read within " + timeout, e);
    }
  }

  @Override
  public void create(String topic, int partitions, int replicas, Duration retention, Duration timeout)
      throws InterruptedException {
    NewTopic wanted = new NewTopic(topic, partitions, (short) replicas)
        .configs(Map.of("cleanup.policy", "delete", "retention.ms", Long.toString(retention.toMillis())));
    try (Admin admin = clients.admin(clients.settings().admin())) {
      admin.createTopics(List.of(wanted)).all().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TopicExistsException) {
        return;
      }
      KafkaException cause = ApacheFailures.of(e.getCause() == null ? e : e.getCause());
      throw new KafkaException(cause.code(), "topic " + topic + " was not created: " + cause.getMessage(), cause);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new KafkaTimeoutException("topic " + topic + " was not created within " + timeout, e);
    }
  }

  @Override
  public void close() {
    asks.close();
  }
}
