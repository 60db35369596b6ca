package dev.decant.faults;

import dev.decant.testkit.KafkaCluster;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Three brokers behind proxies for all test classes, started by the first and closed when all have ended. */
public final class SharedCluster implements ParameterResolver {
  private static final long PROXY_SEED = 20_26;

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == KafkaCluster.class;
  }

  @Override
  public KafkaCluster resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ExtensionContext.Store store = context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL);
    return store.computeIfAbsent(KafkaCluster.class, key -> start(), KafkaCluster.class);
  }

  /** Brokers that start often and live shortly: without the second compiler and the threads of a larger collector. */
  private static KafkaCluster start() {
    return KafkaCluster.builder().brokers(Bench.BROKERS)
        .jvmArguments(List.of("-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"))
        .setting("unclean.leader.election.enable", "false").setting("min.insync.replicas", "2")
        .faultProxies(PROXY_SEED).start();
  }
}
