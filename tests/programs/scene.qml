// SPDX-License-Identifier: Apache-2.0
// A small scene with a shadow, several samples a pixel and a text above it, for a few frames.
import QtQuick
import QtQuick3D

Window {
	property int frames: 0
	width: 160
	height: 120
	visible: true
	onFrameSwapped: ++frames < 8 ? update() : Qt.quit()

	View3D {
		anchors.fill: parent
		environment: SceneEnvironment {
			clearColor: "skyblue"
			backgroundMode: SceneEnvironment.Color
			antialiasingMode: SceneEnvironment.MSAA
		}
		PerspectiveCamera { z: 300 }
		DirectionalLight {
			eulerRotation.x: -30
			castsShadow: true
			shadowMapQuality: Light.ShadowMapQualityLow
		}
		Model {
			source: "#Cube"
			eulerRotation: Qt.vector3d(20, 30, 0)
			materials: PrincipledMaterial { baseColor: "red" }
		}
	}
	Text { text: "above" }
}
