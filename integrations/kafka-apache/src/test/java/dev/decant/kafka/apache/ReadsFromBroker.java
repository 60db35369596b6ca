package dev.decant.kafka.apache;

import org.junit.jupiter.api.extension.ExtendWith;

/** Runs on a real broker. */
@ExtendWith(RealCluster.class)
abstract class ReadsFromBroker extends ReadsFromCluster {
  @Override
  final String bootstrap() {
    return RealCluster.current().bootstrap();
  }

  @Override
  final void createTopic(String name, int partitions) {
    RealCluster.current().createTopic(name, partitions);
  }
}
