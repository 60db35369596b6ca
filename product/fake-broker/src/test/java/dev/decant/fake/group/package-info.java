@NullMarked
package dev.decant.fake.group;

import org.jspecify.annotations.NullMarked;
