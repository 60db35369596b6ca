package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import org.jspecify.annotations.Nullable;

/** The broker to which the calls of a {@link CallQueue} go; it may be another one at each attempt. */
public interface Target {
  /**
   * The broker, once a request can be sent to it. If not, it is looked up or connected to, and {@code onChange}
   * runs when it is worth asking again.
   *
   * @return null for now
   */
  @Nullable
  BrokerLink readyLink();

  /**
   * Why there is no broker.
   *
   * @return null if nothing has failed; an error that is not retriable fails the calls that wait
   */
  @Nullable
  KafkaException lastError();

  /**
   * Names the target for messages.
   *
   * @return host and port, or that it is not known
   */
  String name();

  /**
   * The broker has said that another one is the target.
   *
   * @param cause its response
   */
  void moved(KafkaException cause);

  /** Gives the target up. */
  void close();

  /** Any broker, the least loaded one first. */
  static Target anyBroker(Cluster cluster, Runnable onChange) {
    return new ClusterTarget(cluster, onChange) {
      @Override
      @Nullable
      BrokerLink find(Cluster among) {
        return among.anyLink();
      }

      @Override
      public String name() {
        return "any broker";
      }
    };
  }

  /** One broker, by its node id. */
  static Target broker(Cluster cluster, int nodeId, Runnable onChange) {
    return new ClusterTarget(cluster, onChange) {
      @Override
      @Nullable
      BrokerLink find(Cluster among) {
        return among.readyLink(nodeId);
      }

      @Override
      public String name() {
        return "broker " + nodeId;
      }
    };
  }

  /** The broker that takes requests for the controller. */
  static Target controller(Cluster cluster, Runnable onChange) {
    return new ClusterTarget(cluster, onChange) {
      @Override
      @Nullable
      BrokerLink find(Cluster among) {
        return among.readyLink(among.snapshot().controllerId());
      }

      @Override
      public String name() {
        return "controller " + cluster.snapshot().controllerId();
      }
    };
  }
}
