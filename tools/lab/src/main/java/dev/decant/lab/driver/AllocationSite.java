package dev.decant.lab.driver;

import java.util.List;

/**
 * Where a client allocates.
 *
 * @param way {@code produce} or {@code consume}
 * @param thread {@code caller}, whose I/O, or a name
 * @param type of the objects
 * @param bytes estimated from the samples
 * @param frames the innermost ones, first
 */
public record AllocationSite(String way, String thread, String type, long bytes, List<String> frames) {}
