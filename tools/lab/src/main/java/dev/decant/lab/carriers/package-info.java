/**
 * The settings of carrier threads, pollers and priority: HTTP servers on virtual threads, compared with NIO servers.
 */
@NullMarked
package dev.decant.lab.carriers;

import org.jspecify.annotations.NullMarked;
