package dev.decant.faults;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this process holds after a collection, and what its clients show.
 *
 * @param heap bytes of objects that are reachable
 * @param direct bytes of direct memory
 * @param descriptors open files and sockets; 0 where the system does not tell
 * @param threads platform threads
 * @param links brokers' addresses in the status of the clients
 * @param meters meters of the registry
 */
public record Footprint(long heap, long direct, long descriptors, int threads, int links, int meters) {

  /** Objects that a reference handler or a cleaner still holds are gone after another collection. */
  private static final int COLLECTIONS = 3;

  public static Footprint take(int links, int meters) {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    long descriptors = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? system.getOpenFileDescriptorCount()
        : 0;
    return new Footprint(heap, direct, descriptors, ManagementFactory.getThreadMXBean().getThreadCount(), links,
        meters);
  }

  @Override
  public String toString() {
    return "heap %,d KiB  direct %,d KiB  descriptors %d  threads %d  links %d  meters %d".formatted(heap >> 10,
        direct >> 10, descriptors, threads, links, meters);
  }
}
