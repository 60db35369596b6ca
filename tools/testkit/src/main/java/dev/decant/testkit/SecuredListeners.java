package dev.decant.testkit;

import dev.decant.tls.TlsSettings.ClientCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The secured listeners of a cluster: their ports, settings and key stores. Guarded by the cluster's monitor. */
final class SecuredListeners {
  /** Password of the key stores in the cluster's directory; another one for each cluster. */
  private final String storePassword = UUID.randomUUID().toString();
  private final Path directory;
  /** The ports of each listener, one per node. */
  private final Map<Listener, int[]> ports = new LinkedHashMap<>();
  /** The number of certificates written for each listener. */
  private final Map<Listener, Integer> certificates = new HashMap<>();

  /**
   * Finds ports and writes key stores.
   *
   * @param listeners of the cluster
   * @param nodes how many
   * @param free as many ports as all listeners have on all nodes
   * @param home the cluster's directory
   */
  SecuredListeners(List<Listener> listeners, int nodes, int[] free, Path home) {
    directory = home.resolve("listeners");
    int next = 0;
    for (Listener listener : listeners) {
      int[] own = new int[nodes];
      for (int i = 0; i < nodes; i++) {
        own[i] = listener.firstPort == 0 ? free[next++] : listener.firstPort + i;
      }
      ports.put(listener, listener.firstPort == 0 ? own : LoopbackPorts.requireFree(own));
    }
    try {
      Files.createDirectories(directory);
      for (Listener listener : listeners) {
        TestCertificate certificate = listener.certificate;
        if (certificate != null) {
          writeCertificate(listener, certificate);
        }
        TestAuthority trusted = listener.trusted;
        if (trusted != null) {
          trusted.writePkcs12(trustStore(listener), storePassword.toCharArray());
        }
      }
    } catch (IOException e) {
      throw new ClusterException("the keys of the listeners cannot be written to " + directory + ": " + e.getMessage(),
          e);
    }
  }

  /**
   * Writes a certificate to a new file beside the earlier ones: a broker reads a store again only if its name changes.
   */
  Path writeCertificate(Listener listener, TestCertificate certificate) throws IOException {
    int number = certificates.merge(listener, 1, Integer::sum);
    return certificate.writePkcs12(directory.resolve(listener.name() + "-keys-" + number + ".p12"),
        storePassword.toCharArray());
  }

  private Path trustStore(Listener listener) {
    return directory.resolve(listener.name() + "-trust.p12");
  }

  String bootstrap(Listener listener) {
    int[] own = ports.get(listener);
    if (own == null) {
      throw new ClusterException(
          "the cluster has no listener " + listener.name() + " of this description; build it with"
              + " listener(...)");
    }
    return IntStream.of(own).mapToObj(port -> listener.host + ":" + port).collect(Collectors.joining(","));
  }

  /** Returns system properties of the brokers' JVMs, as arguments. */
  List<String> jvmArguments() {
    Map<String, String> merged = new TreeMap<>();
    for (Listener listener : ports.keySet()) {
      listener.systemProperties.forEach((name, value) -> merged.merge(name, value,
          (first, second) -> first.equals(second) ? first : first + "," + second));
    }
    List<String> arguments = new ArrayList<>();
    merged.forEach((name, value) -> arguments.add("-D" + name + "=" + value));
    return arguments;
  }

  /**
   * Adds the listeners to the settings of a node, behind the listener for traffic between brokers.
   *
   * @param settings of one node
   * @param id the node, from 1
   */
  void addTo(Properties settings, int id) {
    ports.forEach((listener, own) -> {
      BrokerSettings.addListener(settings, listener.name() + ":" + listener.securityProtocol(), own[id - 1],
          listener.host + ":" + own[id - 1]);
      Map<String, String> of = new HashMap<>();
      if (listener.certificate != null) {
        of.putAll(Map.of("ssl.keystore.type", "PKCS12", "ssl.keystore.location",
            directory.resolve(listener.name() + "-keys-1.p12").toString(), "ssl.keystore.password", storePassword,
            "ssl.key.password", storePassword, "ssl.client.auth", clientAuth(listener.clientCertificates)));
      }
      if (listener.trusted != null) {
        of.putAll(Map.of("ssl.truststore.type", "PKCS12", "ssl.truststore.location", trustStore(listener).toString(),
            "ssl.truststore.password", storePassword));
      }
      if (!listener.mechanisms.isEmpty()) {
        of.put("sasl.enabled.mechanisms", String.join(",", listener.mechanisms.keySet()));
      }
      listener.mechanisms
          .forEach((name, module) -> of.put(name.toLowerCase(Locale.ROOT) + ".sasl.jaas.config", module));
      of.putAll(listener.settings);
      of.forEach((name, value) -> settings.setProperty(listener.prefix() + name, value));
    });
  }

  private static String clientAuth(ClientCertificates asked) {
    return switch (asked) {
      case NONE -> "none";
      case WANTED -> "requested";
      case NEEDED -> "required";
    };
  }
}
