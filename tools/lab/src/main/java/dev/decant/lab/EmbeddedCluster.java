package dev.decant.lab;

import dev.decant.lab.driver.WorkSpec;
import dev.decant.lab.stress.ClusterAccess;
import dev.decant.testkit.KafkaCluster;
import dev.decant.testkit.KafkaClusterBuilder;
import dev.decant.testkit.Listener;
import dev.decant.testkit.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The lab's own brokers. The TLS listener takes one version and one cipher suite, so that all clients use the same. It
 * issues no session tickets, so that each handshake is a full one.
 */
final class EmbeddedCluster {
  private static final String PROTOCOL = "TLSv1.3";
  private static final String CIPHER_SUITE = "TLS_AES_256_GCM_SHA384";
  private static final List<String> JVM_ARGUMENTS = List.of("-Xms512m", "-Xmx1g",
      "-Djdk.tls.server.newSessionTicketCount=0");

  private EmbeddedCluster() {}

  /** Starts brokers, with a TLS listener if a scenario needs it. */
  static ClusterAccess start(int size, boolean tls) {
    KafkaClusterBuilder builder = KafkaCluster.builder().brokers(size).jvmArguments(JVM_ARGUMENTS).inMemory();
    return tls ? startSecured(builder) : ClusterAccess.ofEmbedded(builder.start());
  }

  private static ClusterAccess startSecured(KafkaClusterBuilder builder) {
    TestAuthority authority = TestAuthority.create();
    Listener listener = Listener.builder("TLS").tls(authority.server("localhost", "127.0.0.1"))
        .setting("ssl.enabled.protocols", PROTOCOL).setting("ssl.cipher.suites", CIPHER_SUITE).build();
    KafkaCluster cluster = builder.listener(listener).start();
    try {
      Path directory = Files.createTempDirectory("decant-tls-");
      Path trusted = authority.writePem(directory.resolve("ca.pem"));
      Path config = Files.write(directory.resolve("client.properties"), List.of("security.protocol=SSL",
          "ssl.truststore.type=PEM", "ssl.truststore.location=" + trusted));
      return new ClusterAccess(cluster, WorkSpec.Access.plain(cluster.bootstrap()),
          new WorkSpec.Access(cluster.bootstrap(listener), true, config.toString()),
          List.of(trusted, config, directory));
    } catch (IOException e) {
      cluster.close();
      throw new UncheckedIOException("the certificate of the brokers cannot be written for clients", e);
    }
  }
}
