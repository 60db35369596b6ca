package dev.decant.testkit;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.StringJoiner;

/**
 * Makes the {@code server.properties} of one node: broker and controller in one process, on the loopback interface
 * only.
 */
final class BrokerSettings {
  /** Settings with which brokers delete old segments and topics soon, for tests that wait for the deletion. */
  static final Map<String, String> QUICK_DELETION = Map.of("log.initial.task.delay.ms", "500",
      "log.retention.check.interval.ms", "500", "log.segment.delete.delay.ms", "100");

  private BrokerSettings() {}

  /**
   * Returns the settings of one node.
   *
   * @param id the node, from 1
   * @param brokerPorts listener of each node
   * @param controllerPorts controller listener of each node
   * @param logs the directory of its logs
   * @param overrides take precedence over all other settings
   */
  static Properties of(int id, int[] brokerPorts, int[] controllerPorts, Path logs, Map<String, String> overrides) {
    int nodes = brokerPorts.length;
    StringJoiner voters = new StringJoiner(",");
    for (int i = 0; i < nodes; i++) {
      voters.add((i + 1) + "@127.0.0.1:" + controllerPorts[i]);
    }
    String listener = "PLAINTEXT://127.0.0.1:" + brokerPorts[id - 1];
    Properties settings = new Properties();
    settings.setProperty("process.roles", "broker,controller");
    settings.setProperty("node.id", Integer.toString(id));
    settings.setProperty("controller.quorum.voters", voters.toString());
    settings.setProperty("controller.listener.names", "CONTROLLER");
    settings.setProperty("listeners", listener + ",CONTROLLER://127.0.0.1:" + controllerPorts[id - 1]);
    settings.setProperty("advertised.listeners", listener);
    settings.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.setProperty("log.dirs", logs.toString());
    settings.setProperty("auto.create.topics.enable", "false");
    // A killed node cannot register again before its session has ended, so the session is short.
    settings.setProperty("broker.session.timeout.ms", "4000");
    settings.setProperty("broker.heartbeat.interval.ms", "500");
    settings.setProperty("log.segment.delete.delay.ms", "1000");
    settings.setProperty("group.initial.rebalance.delay.ms", "0");
    // These are bounds only: a test may use shorter sessions, to find missing members sooner.
    settings.setProperty("group.min.session.timeout.ms", "1000");
    settings.setProperty("group.consumer.min.session.timeout.ms", "1000");
    settings.setProperty("group.consumer.min.heartbeat.interval.ms", "100");
    settings.setProperty("offsets.topic.num.partitions", "4");
    settings.setProperty("transaction.state.log.num.partitions", "4");
    String replicas = Integer.toString(nodes);
    String inSync = Integer.toString(nodes / 2 + 1);
    for (String topics : new String[] {"offsets.topic", "transaction.state.log", "share.coordinator.state.topic"}) {
      settings.setProperty(topics + ".replication.factor", replicas);
    }
    settings.setProperty("default.replication.factor", replicas);
    settings.setProperty("transaction.state.log.min.isr", inSync);
    settings.setProperty("share.coordinator.state.topic.min.isr", inSync);
    settings.setProperty("min.insync.replicas", inSync);
    overrides.forEach(settings::setProperty);
    return settings;
  }

  /**
   * Adds a listener that advertises the address of a proxy in front of it. Clients of the first listener, brokers among
   * them, bypass the proxy.
   *
   * @param settings of one node
   * @param port of the listener
   * @param advertised port of the proxy
   */
  static void addProxiedListener(Properties settings, int port, int advertised) {
    addListener(settings, "PROXIED:PLAINTEXT", port, "127.0.0.1:" + advertised);
  }

  /**
   * Adds a listener for clients; brokers use the earlier one.
   *
   * @param settings of one node
   * @param nameAndProtocol with a colon between
   * @param port of the listener
   * @param advertised host and port that clients are sent to
   */
  static void addListener(Properties settings, String nameAndProtocol, int port, String advertised) {
    String name = nameAndProtocol.substring(0, nameAndProtocol.indexOf(':'));
    append(settings, "listeners", name + "://127.0.0.1:" + port);
    append(settings, "advertised.listeners", name + "://" + advertised);
    append(settings, "listener.security.protocol.map", nameAndProtocol);
    settings.setProperty("inter.broker.listener.name", "PLAINTEXT");
  }

  private static void append(Properties settings, String name, String value) {
    settings.setProperty(name, settings.getProperty(name) + "," + value);
  }
}
