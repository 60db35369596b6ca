/** Clients of others on a fake cluster, each in a process of its own. */
@NullMarked
package dev.decant.fake.foreign;

import org.jspecify.annotations.NullMarked;
