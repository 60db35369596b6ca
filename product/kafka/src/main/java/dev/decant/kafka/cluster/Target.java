package dev.decant.kafka.cluster;

import dev.decant.kafka.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The broker that receives the calls of a {@link CallQueue}. Each attempt may go to another one. Owner of the loop
 * only.
 */
public interface Target {
  /**
   * Returns the broker if it takes a request now; otherwise starts a look-up or a connection and returns null. {@code
   * onChange} runs when another try is worthwhile.
   */
  @Nullable
  BrokerLink readyLink();

  /**
   * Returns why there is no broker; null if nothing has failed. An error that is not retriable fails the waiting calls.
   */
  @Nullable
  KafkaException lastError();

  /** Returns the name of the target for messages: host and port, or that it is not known. */
  String name();

  /** Takes a broker's response that another broker is the target. */
  void moved(KafkaException cause);

  /** Closes the target: no look-up or connection follows. */
  void close();

  /** Returns a target that is any broker, the least loaded one first. */
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

  /** Returns a target that is one broker, by its node id. */
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

  /** Returns a target that is the broker for requests to the controller. */
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
