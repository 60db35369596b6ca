package dev.decant.lab.stress;

import dev.decant.lab.driver.WorkSpec;
import dev.decant.testkit.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A cluster to measure on, and the ways in which clients reach it.
 *
 * @param cluster cluster for administration
 * @param plain access without TLS
 * @param tls access with TLS; equal to {@code plain} if there is only one way
 * @param files files that {@link #close} deletes, in this order
 */
public record ClusterAccess(TestCluster cluster, WorkSpec.Access plain, WorkSpec.Access tls, List<Path> files)
    implements
      AutoCloseable {

  /**
   * Returns the access to a cluster of the lab's own without TLS.
   *
   * @param cluster cluster that clients reach without settings
   * @return the access
   */
  public static ClusterAccess ofEmbedded(TestCluster cluster) {
    return of(cluster, WorkSpec.Access.plain(cluster.bootstrap()));
  }

  /**
   * Returns the access to a cluster with one way for all clients.
   *
   * @param cluster cluster for administration
   * @param access how clients reach it
   * @return the access
   */
  public static ClusterAccess of(TestCluster cluster, WorkSpec.Access access) {
    return new ClusterAccess(cluster, access, access, List.of());
  }

  /** Returns the access for a client, with TLS or without. */
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
