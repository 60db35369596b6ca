package dev.decant.lab.stress;

import dev.decant.lab.driver.WorkSpec;
import dev.decant.testkit.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A cluster to measure on, and the ways that lead to it.
 *
 * @param cluster for its administration
 * @param plain how clients reach it
 * @param tls how those reach it that are to encrypt their connections; the same where one way is given
 * @param files removed in this order when it is closed
 */
public record ClusterAccess(TestCluster cluster, WorkSpec.Access plain, WorkSpec.Access tls, List<Path> files)
    implements
      AutoCloseable {

  /**
   * A cluster of the lab's own without TLS.
   *
   * @param cluster that clients reach without settings
   * @return that cluster
   */
  public static ClusterAccess ofEmbedded(TestCluster cluster) {
    return of(cluster, WorkSpec.Access.plain(cluster.bootstrap()));
  }

  /**
   * One way for all.
   *
   * @param cluster for its administration
   * @param access how clients reach it
   * @return that cluster
   */
  public static ClusterAccess of(TestCluster cluster, WorkSpec.Access access) {
    return new ClusterAccess(cluster, access, access, List.of());
  }

  /** How a client reaches it that wants TLS, or does not. */
  WorkSpec.Access access(WorkSpec spec) {
    return spec.access().tls() ? tls : plain;
  }

  @Override
  public void close() {
    try (cluster) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("what clients needed for TLS cannot be removed", e);
    }
  }
}
